import pLimit, {type LimitFunction} from 'p-limit';
import {
  type AnswerCache,
  type Answered,
  type Asked,
  AskFailure,
  type Cached,
  type Keeping,
} from '../cache/answer-cache.js';
import type {Json} from '../model/json.js';
import type {PlanEdit} from '../model/plan.js';
import type {CacheKey, LaunchId, Milliseconds, Moment} from '../model/units.js';
import {ms} from '../model/units.js';
import type {CallHost, CallResult} from '../steps/call-host.js';
import {type StepInfo, type StepRef, stepName} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';

/** A step of one launch, ready to be asked. */
export interface Question {
  readonly host: CallHost;
  readonly info: StepInfo;
  readonly ref: StepRef;
  readonly launch: LaunchId;
  /** Empty for kinds that are never cached. */
  readonly key: CacheKey;
}

export interface Spans {
  readonly from: Moment;
  readonly to: Moment;
  readonly name: string;
}

/** What asking came to, with the times of its parts. */
export type Asking = {readonly answered: Answered; readonly spans: readonly Spans[]};

export const questionKey = (ref: StepRef, digest: string): CacheKey => `${stepName(ref)}#${digest}` as CacheKey;

export const keepingOf = ({info, ref}: Question): Keeping => ({
  step: stepName(ref),
  freshFor: info.freshFor,
  keepFor: info.keepFor,
  private: info.private,
});

/**
 * Reads of one step at a time: a hundred launches in a hundred directories must not start hundreds of processes at once.
 * What waits for its turn waits on its own limit.
 */
const readsAtATime = 4;

/** Longest timer that Node takes; a longer one would fire at once. */
const timerLimit = 2_147_483_647;

const turns = new WeakMap<CallHost, Map<string, LimitFunction>>();

const turnOf = ({host, ref}: Question): LimitFunction => {
  const ofHost = turns.get(host) ?? new Map<string, LimitFunction>();
  turns.set(host, ofHost);
  const name = stepName({plugin: ref.plugin, name: ref.name});
  const turn = ofHost.get(name) ?? pLimit(readsAtATime);
  ofHost.set(name, turn);
  return turn;
};

const tooLate: CallResult<'read'> = {
  ok: false,
  fault: {reason: 'abandoned', detail: 'others were asking, and the time of this step was over before its turn'},
};

interface ReadTimes {
  /** Monotonic milliseconds at which the step's limit is over; the signal aborts then. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Aborts when nobody wants the answer any more, if that can be. */
  readonly abandon?: AbortSignal;
}

/** Has the plugin read, when it is this question's turn and with what is then left of the step's limit. */
const readInTurn = async (
  question: Question,
  previous: {readonly etag: string | undefined; readonly value: Json | undefined},
  {until, signal, abandon}: ReadTimes,
  clock: Clock,
): Promise<CallResult<'read'> & {readonly took: Milliseconds}> => {
  const {host, launch, ref} = question;
  let took = ms(0);
  const read = async (): Promise<CallResult<'read'>> => {
    const began = clock.now();
    const left = until - began;
    if (left <= 0 || signal.aborted) return tooLate;
    const args = {launch, ref, etag: previous.etag, previous: previous.value};
    const result = await host.call('read', args, {
      limit: ms(left),
      ...(abandon === undefined ? {} : {signal: abandon}),
    });
    took = ms(clock.now() - began);
    return result;
  };
  let started = false;
  const over = new Promise<CallResult<'read'>>((resolve) => {
    const giveUp = (): void => (started ? undefined : resolve(tooLate));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, {once: true});
  });
  const turn = turnOf(question)(async () => {
    started = true;
    return await read();
  });
  return {...(await Promise.race([turn, over])), took};
};

/** Asks a lookup or check through its plugin and the cache's single flight. Never throws. */
export const askCached = async (
  question: Question,
  cached: Cached,
  cache: AnswerCache,
  clock: Clock,
): Promise<Asking> => {
  let spans: readonly Spans[] = [];
  const signal = AbortSignal.timeout(question.info.limit);
  const until = clock.now() + question.info.limit;
  const ask = async (): Promise<Asked> => {
    // An ETag is only worth sending while the old answer may still be used when the other side says 'unchanged'.
    const result = await readInTurn(
      question,
      {etag: cached.entry?.etag, value: cached.entry?.value},
      {until, signal},
      clock,
    );
    if (!result.ok) {
      const {reason, detail, retryAfter} = result.fault;
      throw new AskFailure(reason, detail, {retryAfter, abandoned: reason === 'abandoned'});
    }
    spans = result.value.spans;
    const {value, etag, files} = result.value;
    return {value, files, took: result.took, ...(etag === undefined ? {} : {etag})};
  };
  const answered = await cache.ask(question.key, keepingOf(question), {ask, seen: cached, signal});
  return {answered, spans};
};

/** What a step that is never stored came to. `use`: of one that was put off; not yet checked. */
export type AlwaysAsked =
  | {
      readonly ok: true;
      readonly edits: readonly PlanEdit[];
      readonly use: unknown;
      readonly spans: readonly Spans[];
    }
  | {readonly ok: false; readonly reason: string; readonly detail: string};

/** Runs a secret or an action: asked at every launch, never stored. `abandon`: when nobody wants it any more. */
export const askAlways = async (question: Question, clock: Clock, abandon?: AbortSignal): Promise<AlwaysAsked> => {
  const {limit} = question.info;
  const times = {
    until: clock.now() + limit,
    signal: AbortSignal.timeout(limit),
    ...(abandon === undefined ? {} : {abandon}),
  };
  const result = await readInTurn(question, {etag: undefined, value: undefined}, times, clock);
  if (!result.ok) return {ok: false, reason: result.fault.reason, detail: result.fault.detail};
  const {edits = [], use, spans} = result.value;
  return {ok: true, edits, use, spans};
};

/** Resolves after `time`, or at once when nothing is left. The timer never keeps a process alive. */
export const after = (time: Milliseconds): {readonly done: Promise<'late'>; readonly cancel: () => void} => {
  let timer: NodeJS.Timeout | undefined;
  const done = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, time), timerLimit), 'late');
  });
  return {done, cancel: () => clearTimeout(timer)};
};
