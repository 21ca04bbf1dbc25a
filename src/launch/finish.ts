import {basename} from 'node:path';
import type {LaunchRecord, Outcome, StepRecord} from '../model/record.js';
import type {ObservedLine, PhaseMarks} from '../model/step.js';
import {type Moment, ms, toMicro} from '../model/units.js';
import {stepName} from '../steps/messages.js';
import {redact} from '../system/redact.js';
import {partition} from './phases.js';
import type {PreparedLaunch} from './prepare.js';
import type {StepProgress} from './run-steps.js';
import {takeTimeline} from './timeline-file.js';
import type {WarmUpSeen} from './warm-up-run.js';

/** What a front reported of a launch, in the order of time. */
export interface LaunchCourse {
  readonly startedAt: Moment | undefined;
  readonly lines: readonly ObservedLine[];
  readonly endedAt: Moment | undefined;
  /** What the front saw of the readiness it was asked to watch. */
  readonly readiness?: ReadinessSeen | undefined;
  readonly outcome: Outcome;
  /** The last moment of it that is known; where the launch makes its own record, as late as that can be asked. */
  readonly doneAt: Moment | (() => Moment);
  /** When the front's process was seen to be gone, where that is known; then it is the last moment of the launch. */
  readonly leftAt?: Moment | undefined;
  readonly via: 'daemon' | 'in-process';
  readonly viaReason?: string | undefined;
  readonly build: string;
}

/** Conditions that came true, and the moment from which all of them were: there the boot ends. */
export interface ReadinessSeen {
  readonly milestones: readonly {readonly name: string; readonly at: Moment}[];
  readonly readyAt: Moment | undefined;
  /** Why it never was ready, a line each. */
  readonly notes: readonly string[];
}

const noMarks: PhaseMarks = {milestones: [], spans: []};

/** A finished launch as its record. Asks the runtime where the phases were; a runtime that cannot say costs only that. */
export const recordOf = async (
  prepared: PreparedLaunch,
  course: LaunchCourse,
  warmUps: readonly WarmUpSeen[] = [],
): Promise<LaunchRecord> => {
  const {launch, request, runtime} = prepared;
  const {startedAt, endedAt} = course;
  const milestones = prepared.ways.timeline === undefined ? [] : takeTimeline(prepared.ways.timeline);
  const seen =
    startedAt === undefined || endedAt === undefined
      ? undefined
      : {startedAt, endedAt, lines: course.lines, milestones};
  const asked =
    runtime.hasPhases && seen !== undefined
      ? await prepared.host.call('phases', {launch: launch.id, runtime: runtime.name, seen})
      : undefined;
  const own = asked?.ok === true ? asked.value : noMarks;
  const {readiness} = course;
  const marks = readiness?.readyAt === undefined ? own : {...own, runAt: readiness.readyAt};
  const since = (moment: number): ReturnType<typeof ms> => ms(toMicro(moment - request.execAt));
  const reportedAt = typeof course.doneAt === 'function' ? course.doneAt() : course.doneAt;
  const doneAt = Math.max(reportedAt, course.leftAt ?? reportedAt);
  return {
    v: 1,
    id: launch.id,
    at: prepared.at,
    build: course.build,
    front: request.front,
    via: course.via,
    ...(course.viaReason === undefined ? {} : {viaReason: course.viaReason}),
    verb: launch.verb,
    runtime: launch.runtime,
    ...runtimeVersion(prepared),
    target: redact(basename(launch.argv[0] ?? '')),
    cwd: launch.cwd,
    temperature: prepared.temperature,
    ...(prepared.ways.standby ? {standby: true as const} : {}),
    total: since(doneAt),
    phases: partition({execAt: request.execAt, sentAt: request.sentAt, startedAt, endedAt, doneAt}, marks).map(
      ({name, from, to}) => ({name, from: ms(toMicro(from)), to: ms(toMicro(to))}),
    ),
    steps: prepared.steps.map((step) => stepRecord(step, since)),
    milestones: [...milestones, ...marks.milestones, ...(readiness?.milestones ?? [])].map(({name, at}) => ({
      name: redact(name),
      at: since(at),
    })),
    spans: [
      {name: 'front start', from: ms(0), to: since(request.frontAt)},
      {name: 'planning', from: since(prepared.beganAt), to: since(prepared.preparedAt)},
      ...warmUpSpans(warmUps, request.execAt, since),
      ...marks.spans.map(({name, from, to}) => ({name, from: since(from), to: since(to)})),
      ...(doneAt > reportedAt ? [{name: 'front exit', from: since(reportedAt), to: since(doneAt)}] : []),
    ],
    ...optimizationsOf(prepared, warmUps),
    waited: ms(toMicro(prepared.waited)),
    outcome: course.outcome,
    notes: [...prepared.notes, ...(readiness?.notes ?? [])].map(redact),
  };
};

/** One that began ahead of the launch is in it from its beginning. */
const warmUpSpans = (
  warmUps: readonly WarmUpSeen[],
  execAt: Moment,
  since: (moment: number) => ReturnType<typeof ms>,
): LaunchRecord['spans'] =>
  warmUps.map(({name, from, to}) => ({
    name: `warm-up ${name}`,
    from: since(Math.max(from, execAt)),
    to: since(Math.max(to, execAt)),
  }));

const optimizationsOf = (
  {optimizations, request}: PreparedLaunch,
  warmUps: readonly WarmUpSeen[],
): Pick<LaunchRecord, 'optimizations'> => {
  if (optimizations.length === 0) return {};
  return {
    optimizations: optimizations.map(({state, subject}) => {
      const seen = warmUps.find(({name}) => name === subject.name);
      const said = seen?.said ?? null;
      const ahead = seen === undefined ? 0 : request.execAt - seen.from;
      return {
        name: subject.name,
        state,
        subject: subject.digest,
        label: redact(subject.label),
        ...(said === null ? {} : {said}),
        ...(ahead > 0 ? {ahead: ms(toMicro(ahead))} : {}),
      };
    }),
  };
};

/** A runtime's release is what its own plugin's look-up named `version` answered. */
const runtimeVersion = ({steps, runtime}: PreparedLaunch): {readonly runtimeVersion?: string} => {
  const version = steps.find(({question}) => question.ref.plugin === runtime.plugin && question.ref.name === 'version');
  return typeof version?.value === 'string' ? {runtimeVersion: redact(version.value)} : {};
};

const stepRecord = (step: StepProgress, since: (moment: number) => ReturnType<typeof ms>): StepRecord => ({
  step: stepName(step.question.ref),
  kind: step.question.info.kind,
  barrier: step.question.info.barrier,
  state: step.state,
  from: since(step.from),
  to: since(step.to),
  cost: ms(toMicro(step.cost)),
  ...(step.reason === undefined ? {} : {reason: step.reason}),
  ...(step.detail === undefined ? {} : {detail: redact(step.detail)}),
  spans: step.spans.map(({name, from, to}) => ({name, from: since(from), to: since(to)})),
});
