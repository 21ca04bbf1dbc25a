import type {Keyv} from 'keyv';
import * as v from 'valibot';
import type {Clock} from '../system/clock.js';

/** A question that got no answer lately. */
export interface RememberedFailure {
  readonly reason: string;
  readonly detail: string;
  /** How many times in a row. */
  readonly count: number;
  /** Wall clock: when it failed. */
  readonly at: number;
  /** Wall clock: not to be asked again before. */
  readonly until: number;
}

const time = v.pipe(v.number(), v.finite());
const schema = v.object({
  reason: v.string(),
  detail: v.string(),
  count: v.pipe(v.number(), v.minValue(1)),
  at: time,
  until: time,
});

/** Clock differences between writers that are no reason for doubt, in milliseconds. */
const skew = 5000;

/** Failures kept in memory while the store cannot be written to; the oldest go first. */
const unstoredLimit = 1000;

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
  /** What the store would not take (disk full): without it a failing question would be asked by every launch. */
  readonly #unstored = new Map<string, RememberedFailure>();

  constructor(store: Keyv, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The failure that still forbids asking, or undefined. A stamp from the future (a clock was wrong) forbids nothing. */
  async recall(key: string): Promise<RememberedFailure | undefined> {
    const failure = await this.#read(key);
    const now = this.#clock.wall();
    if (failure === undefined || failure.at - now > skew || failure.until - failure.at > longestAskedPause)
      return undefined;
    return now < failure.until ? failure : undefined;
  }

  /** Notes a failure; the pause doubles with each in a row. `retryAfter` is the other side's own wish. */
  async remember(key: string, reason: string, detail: string, retryAfter = 0): Promise<RememberedFailure> {
    const count = ((await this.#read(key))?.count ?? 0) + 1;
    const pause = Math.min(firstPause * 2 ** (count - 1), longestPause);
    const asked = Number.isNaN(retryAfter) ? 0 : Math.min(retryAfter, longestAskedPause);
    const at = this.#clock.wall();
    const failure = {reason, detail, count, at, until: at + Math.max(pause, asked)};
    const stored = await this.#store.set(name(key), failure, failure.until - at + memory).catch(() => false);
    this.#unstored.delete(key);
    if (!stored) this.#keepUnstored(key, failure);
    return failure;
  }

  #keepUnstored(key: string, failure: RememberedFailure): void {
    this.#unstored.set(key, failure);
    const [oldest] = this.#unstored.keys();
    if (this.#unstored.size > unstoredLimit && oldest !== undefined) this.#unstored.delete(oldest);
  }

  async forget(key: string): Promise<void> {
    this.#unstored.delete(key);
    await this.#store.delete(name(key)).catch(() => false);
  }

  async #read(key: string): Promise<RememberedFailure | undefined> {
    const unstored = this.#unstored.get(key);
    if (unstored !== undefined) return unstored;
    const result = v.safeParse(schema, await this.#store.get(name(key)).catch(() => undefined));
    return result.success ? result.output : undefined;
  }
}

const name = (key: string): string => `failure:${key}`;
