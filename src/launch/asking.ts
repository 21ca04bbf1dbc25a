import {type AnswerCache, type Answered, AskFailure, type Cached, type Keeping} from '../cache/answer-cache.js';
import type {PlanEdit} from '../model/plan.js';
import type {CacheKey, LaunchId, Milliseconds, Moment} from '../model/units.js';
import {ms} from '../model/units.js';
import type {PluginHost} from '../steps/host.js';
import {type StepInfo, type StepRef, stepName} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';

/** A step of one launch, ready to be asked. */
export interface Question {
  readonly host: PluginHost;
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

/** Asks a lookup or check through its plugin and the cache's single flight. Never throws. */
export const askCached = async (
  question: Question,
  cached: Cached,
  cache: AnswerCache,
  clock: Clock,
): Promise<Asking> => {
  let spans: readonly Spans[] = [];
  const signal = AbortSignal.timeout(question.info.limit);
  const answered = await cache.ask(
    question.key,
    keepingOf(question),
    async () => {
      const began = clock.now();
      // An ETag is only worth sending while the old answer may still be used when the other side says 'unchanged'.
      const entry = cached.entry;
      const result = await question.host.call(
        'read',
        {launch: question.launch, ref: question.ref, etag: entry?.etag, previous: entry?.value},
        {limit: question.info.limit},
      );
      if (!result.ok) {
        const {reason, detail, retryAfter} = result.fault;
        throw new AskFailure(reason, detail, {retryAfter, abandoned: reason === 'abandoned'});
      }
      spans = result.value.spans;
      const {value, etag, files} = result.value;
      return {value, files, took: ms(clock.now() - began), ...(etag === undefined ? {} : {etag})};
    },
    signal,
  );
  return {answered, spans};
};

/** Runs a secret or an action: asked at every launch, never stored. */
export const askAlways = async (
  question: Question,
): Promise<
  | {readonly ok: true; readonly edits: readonly PlanEdit[]; readonly spans: readonly Spans[]}
  | {readonly ok: false; readonly reason: string; readonly detail: string}
> => {
  const {launch, ref, info} = question;
  const result = await question.host.call(
    'read',
    {launch, ref, etag: undefined, previous: undefined},
    {limit: info.limit},
  );
  if (!result.ok) return {ok: false, reason: result.fault.reason, detail: result.fault.detail};
  return {ok: true, edits: result.value.edits ?? [], spans: result.value.spans};
};

/** Resolves after `time`, or at once when nothing is left. The timer never keeps a process alive. */
export const after = (time: Milliseconds): {readonly done: Promise<'late'>; readonly cancel: () => void} => {
  let timer: NodeJS.Timeout | undefined;
  const done = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, time), 'late');
  });
  return {done, cancel: () => clearTimeout(timer)};
};
