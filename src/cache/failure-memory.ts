import * as v from 'valibot';
import type {Keyv} from 'keyv';
import type {Clock} from '../system/clock.js';

/** A question that got no answer lately. */
export interface RememberedFailure {
  readonly reason: string;
  readonly detail: string;
  /** How many times in a row. */
  readonly count: number;
  /** Wall clock: not to be asked again before. */
  readonly until: number;
}

const schema = v.object({
  reason: v.string(),
  detail: v.string(),
  count: v.number(),
  until: v.pipe(v.number(), v.finite()),
});

/** First pause after a failure, and the longest one, in milliseconds: recovery shows within half a minute. */
const firstPause = 5000;
const longestPause = 30_000;

/** The other side may ask for a longer pause (rate limit); a day is the most we believe. */
const longestAskedPause = 86_400_000;

/** How long a run of failures is remembered after its pause, so that the next failure doubles the pause. */
const memory = 300_000;

/** Remembers failures for seconds, never for an answer's TTL, in the same store as the answers. */
export class FailureMemory {
  readonly #store: Keyv;
  readonly #clock: Clock;

  constructor(store: Keyv, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The failure that still forbids asking, or undefined. A stamp too far ahead (a clock was wrong) forbids nothing. */
  async recall(key: string): Promise<RememberedFailure | undefined> {
    const failure = await this.#read(key);
    const now = this.#clock.wall();
    return failure !== undefined && now < failure.until && failure.until - now <= longestAskedPause
      ? failure
      : undefined;
  }

  /** Notes a failure; the pause doubles with each in a row. `retryAfter` is the other side's own wish. */
  async remember(key: string, reason: string, detail: string, retryAfter = 0): Promise<RememberedFailure> {
    const count = ((await this.#read(key))?.count ?? 0) + 1;
    const pause = Math.min(firstPause * 2 ** (count - 1), longestPause);
    const until = this.#clock.wall() + Math.max(pause, Math.min(retryAfter, longestAskedPause));
    const failure = {reason, detail, count, until};
    await this.#store.set(name(key), failure, until - this.#clock.wall() + memory).catch(() => false);
    return failure;
  }

  async forget(key: string): Promise<void> {
    await this.#store.delete(name(key)).catch(() => false);
  }

  async #read(key: string): Promise<RememberedFailure | undefined> {
    const result = v.safeParse(schema, await this.#store.get(name(key)).catch(() => undefined));
    return result.success ? result.output : undefined;
  }
}

const name = (key: string): string => `failure:${key}`;
