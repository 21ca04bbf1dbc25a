import type {Refreshed} from '../model/inspection.js';
import {toMicro} from '../model/units.js';
import {stepName} from '../steps/messages.js';
import {askCached, keepingOf, type Question} from './asking.js';
import type {EngineParts} from './prepare.js';

/**
 * Asks again, however fresh the stored answers are and whatever failed lately. A failure keeps what is stored.
 */
export const refreshAnswers = async (
  {cache, clock}: EngineParts,
  questions: readonly Question[],
): Promise<readonly Refreshed[]> =>
  await Promise.all(
    questions.map(async (question): Promise<Refreshed> => {
      const {entry} = await cache.look(question.key, keepingOf(question));
      await cache.forgive(question.key);
      const began = clock.now();
      const unwanted = {state: 'missing', why: 'it is to be asked again', entry, unwanted: true} as const;
      const {answered} = await askCached(question, unwanted, cache, clock);
      const common = {step: stepName(question.ref), tookMs: toMicro(clock.now() - began)};
      return answered.kind === 'answer'
        ? {...common, ok: true}
        : {...common, ok: false, reason: answered.reason, detail: answered.detail};
    }),
  );
