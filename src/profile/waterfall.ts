import type {LaunchProfile, Segment, SpanRow, StepRow} from './launch-profile.js';
import {micros} from './micros.js';

/** A row of a waterfall: a bar, or a mark where `durationMs` is null. Milliseconds since the exec of our command. */
export interface WaterfallRow {
  readonly kind: 'phase' | 'span' | 'step' | 'part' | 'milestone';
  readonly name: string;
  /** Phase it belongs to, for its colour; null for steps and their parts. */
  readonly phase: string | null;
  readonly fromMs: number;
  readonly durationMs: number | null;
  /** What more there is to say: state and barrier of a step. */
  readonly remark: string;
  readonly onCriticalPath: boolean;
}

/** Phases with their spans in the order of time, then steps with their parts, then milestones. */
export const waterfallRows = (profile: LaunchProfile): readonly WaterfallRow[] => [
  ...profile.phases.flatMap((phase): readonly WaterfallRow[] => {
    const isOn = onPath(profile.criticalPath, phase.name);
    const own: readonly WaterfallRow[] =
      phase.fromMs === null
        ? []
        : [
            {
              kind: 'phase',
              name: phase.name,
              phase: phase.name,
              fromMs: phase.fromMs,
              durationMs: phase.durationMs,
              remark: `${(phase.share * 100).toFixed(1)} %`,
              onCriticalPath: profile.criticalPath.some((segment) => segment.phase === phase.name),
            },
          ];
    return [...own, ...phase.spans.map((span) => spanRow('span', span, phase.name, isOn(span)))];
  }),
  ...profile.steps.flatMap((step): readonly WaterfallRow[] => [
    {
      kind: 'step',
      name: step.step,
      phase: null,
      fromMs: step.fromMs,
      durationMs: step.durationMs,
      remark: [step.state, needText(step)].join(', '),
      onCriticalPath: profile.criticalPath.some(
        ({kind, name, fromMs}) => kind === 'step' && name === step.step && micros(fromMs) >= micros(step.fromMs),
      ),
    },
    ...step.spans.map((part) => spanRow('part', part, null, false)),
  ]),
  ...profile.milestones.map(
    ({name, atMs, phase}): WaterfallRow => ({
      kind: 'milestone',
      name,
      phase,
      fromMs: atMs,
      durationMs: null,
      remark: phase === null ? '' : `in ${phase}`,
      onCriticalPath: false,
    }),
  ),
];

const spanRow = (
  kind: 'span' | 'part',
  span: SpanRow,
  phase: string | null,
  onCriticalPath: boolean,
): WaterfallRow => ({
  kind,
  name: span.name,
  phase,
  fromMs: span.fromMs,
  durationMs: span.durationMs,
  remark: span.overlaps ? 'overlaps' : '',
  onCriticalPath,
});

const onPath =
  (path: readonly Segment[], phase: string) =>
  (span: SpanRow): boolean =>
    path.some((segment) => segment.kind === 'span' && segment.phase === phase && segment.name === span.name);

/** The end of what a waterfall shows: everything, or, where a launch ran on for long, a little more than until ready. */
export const waterfallEnd = ({
  totalMs,
  readyMs,
}: LaunchProfile): {readonly whole: number; readonly close: number | null} => {
  const close = readyMs === null ? 0 : readyMs * 1.06;
  // Below a quarter of the width, what happened before ready cannot be told apart any more.
  return {whole: totalMs, close: close > 0 && close * 4 < totalMs ? close : null};
};

const needText = ({neededBy}: Pick<StepRow, 'neededBy'>): string => {
  if (neededBy === null) return 'nothing waits for it';
  return neededBy === 'first-use' ? 'put off to its first use' : `needed by ${neededBy}`;
};
