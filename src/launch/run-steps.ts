import type {AnswerCache, Cached} from '../cache/answer-cache.js';
import type {Json} from '../model/json.js';
import type {PlanEdit} from '../model/plan.js';
import type {StepState} from '../model/record.js';
import type {CacheKey, Moment} from '../model/units.js';
import {ms} from '../model/units.js';
import type {RuntimeInfo, SharedLaunch, StepRef} from '../steps/messages.js';
import {stepName} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import {after, askAlways, askCached, keepingOf, type Question, questionKey, type Spans} from './asking.js';
import {wantedSteps} from './plugin-index.js';
import type {HostedPlugin} from './plugin-set.js';
import {commandEdits} from './use-shape.js';

/** One step of a launch as it goes. */
export interface StepProgress {
  readonly question: Question;
  state: StepState;
  readonly from: Moment;
  to: Moment;
  /** What asking takes: measured now, or when the stored answer was read. Milliseconds. */
  cost: number;
  value?: Json;
  edits: readonly PlanEdit[];
  spans: readonly Spans[];
  reason?: string;
  detail?: string;
  /** The failure is not new: an earlier launch was told of it. */
  remembered?: boolean;
  /** The launch has been planned: what comes now is for the next one, and changes nothing of this one's record. */
  over?: boolean;
}

/** A step that is under way; its promises never reject. */
export interface RunningStep {
  readonly step: StepProgress;
  /** The launch can go on: there is an answer, perhaps a stale one, or there will be none. */
  readonly ready: Promise<void>;
  /** Nothing is asked for this step any more, behind the launch either. */
  readonly settled: Promise<void>;
}

interface StepParts {
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly onUse?: ((question: Question, launch: SharedLaunch) => void) | undefined;
}

/** Asks every plugin which of its steps this launch needs, and under which keys. Starts nothing. */
export const inspectSteps = async (
  plugins: readonly HostedPlugin[],
  launch: SharedLaunch,
  runtime: RuntimeInfo,
): Promise<{readonly questions: readonly Question[]; readonly notes: readonly string[]}> => {
  const perHost = await Promise.all(
    wantedSteps(plugins, runtime, launch.options).map(async ({host, infos}) => {
      const steps = infos.map(({plugin, name}) => ({plugin, name}));
      const result = await host.call('inspect', {launch: launch.id, steps});
      if (!result.ok) return {questions: [], notes: [`${infos[0]?.plugin}: ${result.fault.detail}`]};
      const notes = result.value.flatMap((item) =>
        item.kind === 'broken' ? [`${stepName(item.ref)}: ${item.detail}`] : [],
      );
      const questions = result.value.flatMap((item): readonly Question[] => {
        const info = infos.find(({plugin, name}) => plugin === item.ref.plugin && name === item.ref.name);
        if (item.kind !== 'wanted' || info === undefined) return [];
        return [{host, info, ref: item.ref, launch: launch.id, key: keyOf(item.ref, item.key)}];
      });
      return {questions, notes};
    }),
  );
  return {questions: perHost.flatMap(({questions}) => questions), notes: perHost.flatMap(({notes}) => notes)};
};

const keyOf = (ref: StepRef, digest: string): CacheKey => (digest === '' ? ('' as CacheKey) : questionKey(ref, digest));

/** Looks every question up and starts asking what is stale or missing. Returns at once for what is stored. */
export const startSteps = async (
  parts: StepParts,
  questions: readonly Question[],
  launch: SharedLaunch,
): Promise<readonly RunningStep[]> =>
  await Promise.all(
    questions.map(async (question) =>
      question.key === '' ? startAlways(parts, question) : await startCached(parts, question, launch),
    ),
  );

const startAlways = (parts: StepParts, question: Question): RunningStep => {
  const now = parts.clock.now();
  const step: StepProgress = {question, state: 'deferred', from: now, to: now, cost: 0, edits: [], spans: []};
  const settled = askAlways(question, parts.clock).then((result) => {
    if (step.over === true) return;
    settle(step, parts.clock);
    const edits = result.ok && question.info.trigger !== undefined ? commandEdits(result.use) : undefined;
    if (result.ok) Object.assign(step, {state: 'read', edits: edits ?? result.edits, spans: result.spans});
    else fail(step, result);
  });
  return {step, ready: settled, settled};
};

const nothingToWaitFor = Promise.resolve();

const startCached = async (parts: StepParts, question: Question, launch: SharedLaunch): Promise<RunningStep> => {
  const from = parts.clock.now();
  const cached: Cached = launch.options.noCache
    ? {state: 'missing', why: 'stored answers are not wanted in this launch', entry: undefined, unwanted: true}
    : await parts.cache.look(question.key, keepingOf(question));
  parts.onUse?.(question, launch);
  const step: StepProgress = {question, state: 'deferred', from, to: parts.clock.now(), cost: 0, edits: [], spans: []};
  if (cached.state === 'missing') return await askMissing(parts, step, cached);
  Object.assign(step, {state: cached.state, value: cached.entry.value, cost: cached.entry.took});
  if (cached.state === 'fresh' || (await parts.cache.recentFailure(question.key)) !== undefined) {
    return {step, ready: nothingToWaitFor, settled: nothingToWaitFor};
  }
  const refreshed = askCached(question, cached, parts.cache, parts.clock).then(() => undefined);
  return {step, ready: nothingToWaitFor, settled: refreshed};
};

const askMissing = async (parts: StepParts, step: StepProgress, cached: Cached): Promise<RunningStep> => {
  const recent = await parts.cache.recentFailure(step.question.key);
  if (recent !== undefined) {
    fail(step, {...recent, remembered: true});
    return {step, ready: nothingToWaitFor, settled: nothingToWaitFor};
  }
  if (step.question.info.kind === 'check') step.state = 'not-waited';
  const settled = askCached(step.question, cached, parts.cache, parts.clock).then(({answered, spans}) => {
    if (step.over === true) return;
    settle(step, parts.clock);
    step.spans = spans;
    if (answered.kind === 'answer')
      Object.assign(step, {state: 'read', value: answered.entry.value, cost: answered.entry.took});
    else fail(step, answered);
  });
  return {step, ready: settled, settled};
};

const settle = (step: StepProgress, clock: Clock): void => {
  step.to = clock.now();
  step.cost = step.to - step.from;
};

const fail = (
  step: StepProgress,
  failure: {readonly reason: string; readonly detail: string; readonly remembered?: boolean},
): void => {
  step.state = failure.reason === 'timed-out' || failure.reason === 'abandoned' ? 'timed-out' : 'failed';
  step.reason = failure.reason;
  step.detail = failure.detail;
  step.remembered = failure.remembered ?? false;
};

/**
 * Waits until every needed step is ready or the deadline has come, and says for how long. Checks are not waited for, nor are
 * `run` steps where the target takes late values, unless the launch must not go on without them. Steps that are still under
 * way stay `deferred`: the answer of one that is not late is for the next launch.
 */
export const waitForNeeded = async (
  clock: Clock,
  running: readonly RunningStep[],
  deadline: number,
  takesLate = false,
): Promise<number> => {
  const began = clock.now();
  const needed = running.filter(({step}) => step.question.info.barrier !== 'none' && !(takesLate && mayBeLate(step)));
  const awaited = needed.filter(({ready}) => ready !== nothingToWaitFor);
  if (awaited.length > 0) {
    const overdue = after(ms(deadline - began));
    await Promise.race([Promise.all(awaited.map(({ready}) => ready)), overdue.done]);
    overdue.cancel();
  }
  const ended = clock.now();
  for (const {step} of running) {
    if (step.state !== 'deferred' && step.state !== 'not-waited') continue;
    if (takesLate && mayBeLate(step)) continue;
    step.to = ended;
    step.over = true;
  }
  return ended - began;
};

const mayBeLate = ({question: {info}}: StepProgress): boolean => info.barrier === 'run' && !info.required;

/** A step whose answer may still reach this launch's target. */
export const isLate = (step: StepProgress): boolean => step.state === 'deferred' && step.over !== true;
