import type {AnswerCache} from '../cache/answer-cache.js';
import type {LaunchRequest} from '../model/launch.js';
import type {Plan, StandbySpec} from '../model/plan.js';
import type {LaunchId, Moment, WallTime} from '../model/units.js';
import type {RuntimeInfo, SharedLaunch} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import type {Question} from './asking.js';
import {type Begun, beginLaunch} from './begin-launch.js';
import {composeAnswers, planEdits} from './compose-answers.js';
import {composePlan, writePlanFiles} from './compose-plan.js';
import {openFirstUses, splitQuestions} from './first-use.js';
import type {OpenedTriggers} from './first-use-place.js';
import {noticeLines, temperatureOf} from './notices.js';
import {
  type ChosenOptimization,
  type ChosenOptimizations,
  chooseOptimizations,
  type OptimizationParts,
} from './optimizations.js';
import type {HostedPlugin, PluginSet} from './plugin-set.js';
import {inspectSteps, type RunningStep, type StepProgress, startSteps, waitForNeeded} from './run-steps.js';
import {openWays, type TargetWays} from './target-ways.js';

/** What the engine works with. */
export interface EngineParts {
  readonly plugins: PluginSet;
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly configDirectory: string;
  /** One line about a directory that had to be passed over. */
  readonly complaint: string | undefined;
  /** Plugins whose fault was told lately: see `noticeLines`. */
  readonly told: Map<string, number>;
  /** Where sockets of single launches may lie: ours alone. */
  readonly socketDirectory: string | undefined;
  /** Where a target may write its milestones down. */
  readonly stateDirectory: string | undefined;
  /** Targets that were booted ahead of need; only the daemon keeps any. */
  readonly standbys?: StandbySource;
  /** Absent where there is no place for what they prepare or measure. */
  readonly optimizations?: OptimizationParts;
  /** Launches that were waiting for one answer go on one by one: undefined where this one may go on at once. */
  readonly turn?: () => Promise<void> | undefined;
  /** Told of each cached answer a launch uses, so that it can be kept fresh. */
  readonly onUse?: (question: Question, launch: SharedLaunch) => void;
}

/** Standbys as a launch sees them. */
export interface StandbySource {
  /** The address of one that fits, which is this launch's from now on. */
  readonly take: (wanted: StandbySpec, launch: LaunchId) => string | undefined;
  /** A launch of this kind is under way. */
  readonly launched: (wanted: StandbySpec, launch: LaunchId) => void;
}

/** A launch that has been planned, for its front and for the record. */
export interface PreparedLaunch {
  readonly kind: 'planned';
  readonly plan: Plan;
  readonly launch: SharedLaunch;
  readonly runtime: RuntimeInfo;
  readonly host: HostedPlugin['host'];
  readonly request: LaunchRequest;
  readonly at: WallTime;
  readonly beganAt: Moment;
  readonly preparedAt: Moment;
  readonly waited: number;
  readonly temperature: 'warm' | 'cold' | 'mixed';
  readonly steps: readonly StepProgress[];
  readonly notes: readonly string[];
  readonly ways: TargetWays;
  readonly optimizations: readonly ChosenOptimization[];
  /** What is put off to its first use. */
  readonly firstUses: OpenedTriggers;
  /** Settles when no step of this launch is being asked any more. */
  readonly quiet: Promise<void>;
}

/** What planning came to. */
export type Prepared =
  | PreparedLaunch
  | {readonly kind: 'in-process'}
  | {readonly kind: 'help'; readonly verb: string}
  | {readonly kind: 'refused'; readonly text: string; readonly status: number};

/** Less is a launch that found everything, in milliseconds. */
const waitedAtAll = 1;

/** Our own failures: what `env`, `nohup` and container tools use for 'the wrapper failed'. */
export const ownFailureStatus = 125;

/**
 * Plans a launch: finds the runtime, takes what the cache has, asks for what is missing and needed, starts checks, and
 * turns it all into a plan. Waits at most for the launch's budget. In the daemon, a launch that wants none is handed back.
 */
export const prepareLaunch = async (
  parts: EngineParts,
  request: LaunchRequest,
  place: 'daemon' | 'in-process',
): Promise<Prepared> => {
  const began = parts.clock.now();
  const begun = await beginLaunch(parts, request);
  if (begun.kind !== 'begun') return begun;
  const {launch, plugins, runtime} = begun;
  // Readiness is watched by whoever starts the target, and only the Node front can: the launcher gives its place to that.
  const {noDaemon, until} = launch.options;
  if (place === 'daemon' && (noDaemon || (until !== undefined && request.front !== 'node')))
    return {kind: 'in-process'};
  for (const {host} of plugins) host.remember(launch);

  const inspected = await inspectSteps(plugins, launch, runtime);
  const {now, later} = splitQuestions(inspected.questions);
  const running = await startSteps(parts, now, launch);
  const waited = await waitForNeeded(parts.clock, running, began + launch.options.budget, runtime.takesLate);
  if (waited >= waitedAtAll) await parts.turn?.();
  const missing = running.find(
    ({step}) => step.question.info.required && step.value === undefined && step.state !== 'read',
  );
  if (missing !== undefined) return requiredMissing(missing.step);

  const optimized = await chooseOptimizations(
    begun.optimizations ? parts.optimizations : undefined,
    plugins,
    launch,
    begun.holdback,
  );
  const {notes: broken} = inspected;
  return await planAnswered(parts, request, {optimized, begun, began, running, later, waited, broken});
};

interface Answered {
  readonly optimized: ChosenOptimizations;
  readonly begun: Begun;
  readonly began: Moment;
  readonly running: readonly RunningStep[];
  /** Questions that are put off to their first use. */
  readonly later: readonly Question[];
  readonly waited: number;
  /** A line for each step that fails at saying what it would ask. */
  readonly broken: readonly string[];
}

/** Turns everything that is known by now into the plan. */
const planAnswered = async (
  parts: EngineParts,
  request: LaunchRequest,
  {optimized, begun, began, running, later, waited, broken}: Answered,
): Promise<PreparedLaunch> => {
  const {launch, plugins, runtime, plugin} = begun;
  const steps = running.map(({step}) => step);
  const deadline = began + launch.options.budget;
  const composed = await composeAnswers(plugins, launch, steps, {name: runtime.name, host: plugin.host});
  const planned = await planEdits(plugin, runtime, launch, steps, composed);
  const ways = await openWays(parts, {
    plugins,
    plugin,
    launch,
    runtime,
    running,
    deadline,
    stepEdits: composed.edits,
    planned: planned.edits,
  });
  const firstUses = await openFirstUses(parts, launch, later, planned.edits);
  const edits = [...ways.edits, ...planned.edits, ...firstUses.edits, ...optimized.edits];
  const told = [begun, composed, planned, optimized].flatMap((part) => part.notes);
  const notes = [...told, ...broken, ...writePlanFiles(edits)];
  const notices = noticeLines({
    ...begun,
    request,
    steps,
    waited,
    composed,
    edits,
    broken,
    complaint: parts.complaint,
    told: parts.told,
    now: parts.clock.now(),
  });
  const observe = begun.phases && !request.mergedOutput;
  return {
    kind: 'planned',
    plan: composePlan({launchId: launch.id, kept: begun.kept, edits, notices, observe}),
    launch,
    runtime,
    host: plugin.host,
    request,
    at: begun.at,
    beganAt: began,
    preparedAt: parts.clock.now(),
    waited,
    temperature: temperatureOf(steps),
    steps: [...steps, ...firstUses.steps],
    notes,
    ways,
    optimizations: optimized.chosen,
    firstUses,
    quiet: Promise.all(running.map(({settled}: RunningStep) => settled)).then(() => undefined),
  };
};

const requiredMissing = (step: StepProgress): Prepared & {kind: 'refused'} => {
  const {plugin, name} = step.question.ref;
  const cause = step.detail ?? 'the launch budget ran out first';
  return {
    kind: 'refused',
    text: `bootcut: ${plugin}/${name} is required for this launch and has no answer: ${cause}\nRun 'bootcut steps' to see it, or leave it out with --without ${plugin}/${name}.`,
    status: ownFailureStatus,
  };
};
