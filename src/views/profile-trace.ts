import type {LaunchProfile, SpanRow, StepRow} from '../profile/launch-profile.js';
import {outcomeWords, targetWords} from './profile-words.js';

/*
 * Chrome's Trace Event Format, JSON object form, which Perfetto reads too: complete events (`X`), instants (`i`) and names
 * (`M`). Times are whole microseconds. Two events of one track may only lie one inside the other or apart, so whatever
 * overlaps goes to a track of its own.
 */

interface TraceEvent {
  readonly name: string;
  readonly ph: 'X' | 'i' | 'M';
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly cat?: string;
  readonly dur?: number;
  /** Whose line an instant crosses: that of its process. */
  readonly s?: 'p';
  readonly args?: Readonly<Record<string, string | number | boolean | null>>;
}

/** `profile --format trace`: each launch a process, in the order of time, each as far behind the first as it began. */
export const profileTrace = (profiles: readonly LaunchProfile[]): string => {
  const inOrder = [...profiles].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const first = Date.parse(inOrder[0]?.at ?? '');
  const events = inOrder.flatMap((profile, index) =>
    launchEvents(profile, index + 1, (Date.parse(profile.at) - first) * 1000),
  );
  return JSON.stringify({
    displayTimeUnit: 'ms',
    otherData: {
      producer: 'bootcut',
      beganAt: inOrder[0]?.at ?? '',
      endpoints: 'ts 0 is the exec of bootcut of the first launch',
    },
    traceEvents: events,
  });
};

/** A named row of a launch, before it has a number. */
interface Track {
  readonly name: string;
  readonly events: readonly Omit<TraceEvent, 'pid' | 'tid'>[];
}

const launchEvents = (profile: LaunchProfile, pid: number, begin: number): readonly TraceEvent[] => {
  const tracks = [
    phaseTrack(profile),
    {name: 'critical path', events: profile.criticalPath.map((segment) => complete('critical-path', segment, segment))},
    ...spanTracks(
      'in phases',
      profile.phases.flatMap(({spans}) => spans),
    ),
    ...profile.steps.flatMap(stepTracks),
  ].filter(({events}) => events.length > 0);
  const name = `bootcut ${targetWords(profile)} ${profile.id.slice(-6)}`;
  return [
    named('process_name', pid, 0, {name}),
    named('process_labels', pid, 0, {labels: `${profile.temperature}, ${outcomeWords(profile.outcome)}`}),
    named('process_sort_index', pid, 0, {sort_index: pid}),
    ...tracks.flatMap((track, index) => [
      named('thread_name', pid, index + 1, {name: track.name}),
      named('thread_sort_index', pid, index + 1, {sort_index: index + 1}),
      ...track.events.map((event) => ({...event, pid, tid: index + 1, ts: event.ts + begin})),
    ]),
    ...profile.milestones.map(({name: milestone, atMs}) => ({
      name: milestone,
      cat: 'milestone',
      ph: 'i' as const,
      s: 'p' as const,
      pid,
      tid: 1,
      ts: toMicros(atMs) + begin,
    })),
  ];
};

const named = (name: string, pid: number, tid: number, args: NonNullable<TraceEvent['args']>): TraceEvent => ({
  name,
  ph: 'M',
  pid,
  tid,
  ts: 0,
  args,
});

const phaseTrack = (profile: LaunchProfile): Track => ({
  name: 'phases',
  events: profile.phases.flatMap((phase) =>
    phase.fromMs === null || phase.durationMs === 0
      ? []
      : [complete('phase', {...phase, fromMs: phase.fromMs}, {share: phase.share, otherMs: phase.otherMs})],
  ),
});

/** Spans that overlap part ways: each goes to the first track where it fits. */
const spanTracks = (name: string, spans: readonly SpanRow[], category = 'span'): readonly Track[] =>
  lanesOf(spans).map((lane, index) => ({
    name: index === 0 ? name : `${name}, ${index + 1}`,
    events: lane.map((span) => complete(category, span, {overlaps: span.overlaps})),
  }));

/** A step on its own track with its parts inside; parts that stick out or overlap go below. */
const stepTracks = (step: StepRow): readonly Track[] => {
  const {fromMs, durationMs} = step;
  const isInside = (part: SpanRow): boolean =>
    part.fromMs >= fromMs && endOf(part) <= toMicros(fromMs) + toMicros(durationMs);
  const [inside = [], ...others] = lanesOf(step.spans.filter(isInside));
  const outside = step.spans.filter((part) => !isInside(part));
  return [
    {
      name: step.step,
      events: [
        complete('step', {...step, name: step.step}, stepArgs(step)),
        ...inside.map((part) => complete('part', part)),
      ],
    },
    ...others.map((lane, index) => ({
      name: `${step.step}, parts ${index + 2}`,
      events: lane.map((part) => complete('part', part)),
    })),
    ...spanTracks(`${step.step}, outside of it`, outside, 'part'),
  ];
};

const stepArgs = (step: StepRow): NonNullable<TraceEvent['args']> => ({
  kind: step.kind,
  neededBy: step.neededBy,
  state: step.state,
  costMs: step.costMs,
  sparedMs: step.sparedMs,
  ...(step.reason === undefined ? {} : {reason: step.reason}),
  ...(step.detail === undefined ? {} : {detail: step.detail}),
});

interface Timed {
  readonly name: string;
  readonly fromMs: number;
  readonly durationMs: number;
}

const complete = (
  category: string,
  {name, fromMs, durationMs}: Timed,
  args?: object,
): Omit<TraceEvent, 'pid' | 'tid'> => ({
  name,
  cat: category,
  ph: 'X',
  ts: toMicros(fromMs),
  dur: toMicros(durationMs),
  ...(args === undefined ? {} : {args: plain(args)}),
});

/** Facts beside the times: what is no list or object, and not said by the event itself. */
const plain = (args: object): NonNullable<TraceEvent['args']> =>
  Object.fromEntries(
    Object.entries(args as Readonly<Record<string, unknown>>).filter(
      (entry): entry is [string, string | number | boolean | null] =>
        !['name', 'fromMs', 'durationMs'].includes(entry[0]) &&
        (entry[1] === null || ['string', 'number', 'boolean'].includes(typeof entry[1])),
    ),
  );

/** Lanes in which any two lie one inside the other or apart. */
const lanesOf = (spans: readonly SpanRow[]): readonly (readonly SpanRow[])[] => {
  const lanes: SpanRow[][] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs || b.durationMs - a.durationMs)) {
    const lane = lanes.find((items) => items.every((other) => nests(other, span)));
    if (lane === undefined) lanes.push([span]);
    else lane.push(span);
  }
  return lanes;
};

/** `later` starts with or after `earlier`. */
const nests = (earlier: SpanRow, later: SpanRow): boolean =>
  toMicros(later.fromMs) >= endOf(earlier) || endOf(later) <= endOf(earlier);

const endOf = ({fromMs, durationMs}: Omit<Timed, 'name'>): number => toMicros(fromMs) + toMicros(durationMs);

/** Published times are whole microseconds already; this takes the dust of their fractions away. */
const toMicros = (milliseconds: number): number => Math.round(milliseconds * 1000) + 0;
