import {rm} from 'node:fs/promises';
import {
  AnswerCache,
  type Answered,
  type Asked,
  AskFailure,
  type Cached,
  type Keeping,
} from '../../../src/cache/answer-cache.js';
import {openStores, type Stores} from '../../../src/cache/stores.js';
import type {Json} from '../../../src/model/json.js';
import {type CacheKey, days, hours, ms} from '../../../src/model/units.js';
import {lockScope} from '../../../src/system/process-lock.js';
import {type ManualClock, manualClock} from '../../rig/manual-clock.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

export const key = (name: string): CacheKey => `plugin/step#${name}` as CacheKey;

/** A day fresh, a week at all: what git-identity asks for. */
export const keeping: Keeping = {step: 'plugin/step', freshFor: hours(24), keepFor: days(7), private: true};

export const asked = (value: Json, more: Partial<Asked> = {}): Asked => ({value, files: [], took: ms(5), ...more});

export type Workplace = AsyncDisposable & {
  readonly directory: string;
  readonly clock: ManualClock;
  readonly stores: Stores;
  readonly cache: AnswerCache;
  /** Looks, and asks with this answer (or failure) whatever was found; counts in `calls`. */
  readonly ask: (name: string, answer: Json | AskFailure, seen?: Cached) => Promise<Answered>;
  readonly calls: () => number;
};

/** A cache in a directory of its own with a clock in the test's hand. */
export async function workplace(
  options: {readonly locks?: boolean; readonly shared?: string} = {},
): Promise<Workplace> {
  const directory = await temporaryDirectory('cache');
  const clock = manualClock();
  const stores = await openStores(directory, options.shared);
  const cache = new AnswerCache(stores, clock, options.locks === true ? lockScope(directory) : undefined);
  let calls = 0;
  return {
    directory,
    clock,
    stores,
    cache,
    calls: () => calls,
    ask: async (name, answer, seen) => {
      const ask = async (): Promise<Asked> => {
        calls += 1;
        if (answer instanceof AskFailure) throw answer;
        return asked(answer);
      };
      const found = seen ?? (await cache.look(key(name), keeping));
      return await cache.ask(key(name), keeping, {ask, seen: found, signal: AbortSignal.timeout(10_000)});
    },
    [Symbol.asyncDispose]: async () => {
      await stores.close();
      await rm(directory, {recursive: true, force: true});
    },
  };
}
