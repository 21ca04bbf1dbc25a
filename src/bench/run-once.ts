import {toMicro} from '../model/units.js';
import {armConditions} from '../readiness/wait.js';
import {systemClock} from '../system/clock.js';
import {redact} from '../system/redact.js';
import {timelineVariable} from '../timeline/timeline-file.js';
import {type BenchPlan, exitMilestone, type Variant} from './bench-plan.js';
import {endTree} from './end-tree.js';
import {prepareRun, runToEnd} from './prepare-run.js';
import {reported} from './reported.js';
import type {BenchRun} from './result.js';
import {type Ending, RunCourse} from './run-course.js';
import {type StartedTarget, startTarget} from './run-target.js';
import {RunTimeline} from './run-timeline.js';
import {memoryOf} from './samples.js';
import {missedStandby} from './standby-warm.js';

/** Where a run stands in its bench. */
export interface RunPlace {
  readonly round: number;
  readonly place: number;
}

/** Lines of stderr that are kept of a run that failed. */
const keptLines = 20;

/** What the look after a run and its clean-up may take, in milliseconds. */
const cleanUpLimit = 60_000;

/** Runs one variant once, from its preparation to its clean-up. Undefined when it was interrupted. */
export const runOnce = async (
  plan: BenchPlan,
  variant: Variant,
  place: RunPlace,
  interrupted: AbortSignal,
): Promise<BenchRun | undefined> => {
  const frame = {variant: variant.name, ...place, startedAt: systemClock.wall()};
  const timeline = new RunTimeline();
  try {
    const env = environmentOf(variant, timeline.path);
    const bare = environmentOf(variant, undefined);
    const fault = await prepareRun(variant, bare, interrupted);
    if (interrupted.aborted) return undefined;
    if (fault !== undefined) return failedRun(frame, fault);
    const beganAt = systemClock.wall();
    const run = await measured(plan, variant, frame, timeline, env, interrupted);
    const afterwards = await faultAfterwards(variant, bare, beganAt, run?.state === 'ok');
    return run === undefined || afterwards === undefined ? run : {...run, state: 'failed', why: redact(afterwards)};
  } finally {
    timeline.remove();
  }
};

/** What a look after the run finds wrong with it, and its clean-up. */
const faultAfterwards = async (
  variant: Variant,
  env: NodeJS.ProcessEnv,
  beganAt: number,
  isOk: boolean,
): Promise<string | undefined> => {
  const signal = AbortSignal.timeout(cleanUpLimit);
  const missed =
    isOk && variant.temperature.includes('standby-warm')
      ? await missedStandby(variant, env, beganAt, signal)
      : undefined;
  const untidy = variant.cleanup === undefined ? undefined : await runToEnd(variant.cleanup, variant.cwd, env, signal);
  if (missed !== undefined) return `standby-warm: ${missed}`;
  return untidy === undefined ? undefined : `cleanup: ${untidy}`;
};

type Frame = Pick<BenchRun, 'variant' | 'round' | 'place' | 'startedAt'>;

const nothing = {milestones: [], metrics: {}, counts: {}, spans: [], memoryKiB: null, exit: null} as const;

const failedRun = (frame: Frame, why: string): BenchRun => ({...frame, ...nothing, state: 'failed', why: redact(why)});

/** The caller's environment with the variant's changes; for the target also where its timeline is. */
const environmentOf = ({env}: Variant, timeline: string | undefined): NodeJS.ProcessEnv => {
  const changed = Object.entries({...process.env, ...env}).filter(([, value]) => value !== null);
  const merged = Object.fromEntries(changed) as NodeJS.ProcessEnv;
  return timeline === undefined ? merged : {...merged, [timelineVariable]: timeline};
};

const measured = async (
  plan: BenchPlan,
  variant: Variant,
  frame: Frame,
  timeline: RunTimeline,
  env: NodeJS.ProcessEnv,
  interrupted: AbortSignal,
): Promise<BenchRun | undefined> => {
  const armed = armConditions([...plan.until, ...plan.marks], variant.cwd);
  const target = await startTarget(variant, env);
  if (typeof target === 'string') return failedRun(frame, target);
  const course = new RunCourse(plan, armed, target, timeline, `${timelineVariable}=${timeline.path}`);
  const ending = await course.follow(variant, env, interrupted);
  const end = ending === 'exit' ? course.end : undefined; // afterwards it is we who end it
  const memoryKiB = memoryOf(course.tree);
  await endTree(target.child, course.tree, plan.graceMs);
  if (ending === 'interrupted') return undefined;
  const own = reported(timeline.lines, target.startedAt);
  const exit =
    end === undefined
      ? []
      : [{name: exitMilestone, at: toMicro(end.at - target.startedAt), source: 'outside' as const}];
  return {
    ...frame,
    ...verdictOn(plan, course, ending, target),
    exit: end?.exit ?? null,
    milestones: [...own.milestones, ...course.milestones, ...exit].sort((a, b) => a.at - b.at),
    metrics: own.metrics,
    counts: own.counts,
    spans: own.spans,
    memoryKiB,
    ...(course.sampler === undefined ? {} : {windows: course.sampler.windows()}),
  };
};

/** Is this run data? If not, why, in words. */
const verdictOn = (
  plan: BenchPlan,
  course: RunCourse,
  ending: Ending,
  {stderr}: StartedTarget,
): Pick<BenchRun, 'state' | 'why' | 'lastLines'> => {
  const exit = course.end?.exit;
  const unmet = course.unmet();
  const wantsExit = plan.endpoint === exitMilestone;
  if (ending === 'goals' || (ending === 'exit' && unmet.length === 0 && (!wantsExit || exit === 0)))
    return {state: 'ok'};
  const lastLines = stderr.last(keptLines).map(redact);
  const seen = unmet.length === 0 ? '' : `; ${redact(unmet.join('; '))}`;
  if (ending === 'exit') {
    const how = typeof exit === 'string' ? `was ended by ${exit}` : `ended with status ${exit ?? 0}`;
    return {state: 'failed', why: `it ${how}${unmet.length === 0 ? '' : ' before it was ready'}${seen}`, lastLines};
  }
  const onlySettled =
    unmet.length > 0 && plan.until.every((condition) => course.met.has(condition) || condition.kind === 'settled');
  const why = `it was not at its end after ${plan.limitMs / 1000} s${seen}`;
  return {state: onlySettled ? 'unsettled' : 'failed', why, lastLines};
};
