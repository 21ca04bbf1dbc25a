import type {Json} from '../model/json.js';
import type {CacheKey, Milliseconds, WallTime} from '../model/units.js';
import type {Clock} from '../system/clock.js';
import {safeFileIdentity} from '../system/file-identity.js';
import type {LockScope} from '../system/process-lock.js';
import {capped, type Entry, entryState, readEntry} from './entry.js';
import {FailureMemory, type RememberedFailure} from './failure-memory.js';
import {Flights} from './flights.js';
import type {Stores} from './stores.js';

/** What is known about a key right now. */
export type Cached =
  | {readonly state: 'fresh' | 'stale'; readonly entry: Entry}
  /** `entry` is there when something is stored that may not be used: expired, or a file it depends on has changed. */
  | {
      readonly state: 'missing';
      readonly why: string;
      readonly entry: Entry | undefined;
      /** Nobody has looked: the launch wants no stored answer. */
      readonly unwanted?: true;
    };

/** How answers of a step are kept. */
export interface Keeping {
  readonly step: string;
  readonly freshFor: Milliseconds;
  readonly keepFor: Milliseconds;
  readonly private: boolean;
}

/** What asking came to. */
export interface Asked {
  readonly value: Json;
  readonly etag?: string;
  /** Files the answer depends on, with their identity when they were read. */
  readonly files: readonly (readonly [path: string, identity: string])[];
  readonly took: Milliseconds;
}

/** An answer that was asked for, or why there is none. */
export type Answered =
  | {readonly kind: 'answer'; readonly entry: Entry}
  | {readonly kind: 'failure'; readonly reason: string; readonly detail: string; readonly remembered: boolean};

/** Thrown by an `ask` that got no answer; `retryAfter` in milliseconds. */
export class AskFailure extends Error {
  override readonly name = 'AskFailure';
  readonly reason: string;
  readonly retryAfter: number | undefined;
  /** Not the other side's failure but ours (nobody wants the answer any more): nothing to remember. */
  readonly abandoned: boolean;

  constructor(reason: string, detail: string, options: {retryAfter?: number | undefined; abandoned?: boolean} = {}) {
    super(detail);
    this.reason = reason;
    this.retryAfter = options.retryAfter;
    this.abandoned = options.abandoned ?? false;
  }
}

/** Answers with two deadlines over Keyv, single flight, and a short memory of failures. */
export class AnswerCache {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #flights: Flights;
  readonly #failures: FailureMemory;

  constructor(stores: Stores, clock: Clock, locks: LockScope | undefined) {
    this.#stores = stores;
    this.#clock = clock;
    this.#flights = new Flights(locks);
    this.#failures = new FailureMemory(stores.own, clock);
  }

  /** What is stored for a key, checked: time, and the identity of every file the answer depends on. */
  async look(key: CacheKey, keeping: Keeping): Promise<Cached> {
    const own = readEntry(await this.#stores.own.get(key).catch(() => undefined));
    const found = this.#judge(own, keeping);
    if (found.state === 'fresh' || keeping.private || this.#stores.shared === undefined) return found;
    const shared = this.#judge(readEntry(await this.#stores.shared.get(key)), keeping);
    if (shared.state === 'missing' || (found.state === 'stale' && shared.state === 'stale')) return found;
    // The next launch need not go out for it.
    await this.#stores.own.set(key, shared.entry, shared.entry.expiresAt - this.#clock.wall()).catch(() => false);
    return shared;
  }

  #judge(stored: Entry | undefined, keeping: Keeping): Cached {
    const entry = stored === undefined ? undefined : capped(stored, keeping);
    if (entry === undefined) return {state: 'missing', why: 'never asked with these inputs', entry: undefined};
    const state = entryState(entry, this.#clock);
    if (state === 'missing') return {state, why: 'the stored answer has expired', entry};
    const changed = entry.files.find(([path, identity]) => safeFileIdentity(path) !== identity);
    return changed === undefined ? {state, entry} : {state: 'missing', why: `${changed[0]} has changed`, entry};
  }

  /** The failure that still forbids asking for this key. */
  async recentFailure(key: CacheKey): Promise<RememberedFailure | undefined> {
    return await this.#failures.recall(key);
  }

  /** Can the shared store be talked to right now? Undefined without one. */
  async isSharedReachable(): Promise<boolean | undefined> {
    return await this.#stores.shared?.answers();
  }

  /** Lets a key be asked for again although it failed lately. */
  async forgive(key: CacheKey): Promise<void> {
    await this.#failures.forget(key);
  }

  /**
   * Asks, or joins whoever is asking already. Stores an answer; remembers a failure, and keeps what was stored before.
   * `seen` is what the caller found when it looked: an answer that somebody has stored since then will do.
   */
  async ask(
    key: CacheKey,
    keeping: Keeping,
    {ask, seen, signal}: {readonly ask: () => Promise<Asked>; readonly seen: Cached; readonly signal: AbortSignal},
  ): Promise<Answered> {
    const began = this.#clock.wall();
    const isNew = ({readAt}: Entry): boolean =>
      seen.state === 'missing' && seen.unwanted === true ? readAt >= began : readAt !== seen.entry?.readAt;
    const answered = async (): Promise<Answered | undefined> => {
      const cached = await this.look(key, keeping);
      if (cached.state !== 'missing' && isNew(cached.entry)) return {kind: 'answer', entry: cached.entry};
      const failure = await this.recentFailure(key);
      return failure === undefined ? undefined : {kind: 'failure', ...failure, remembered: true};
    };
    return await this.#flights.share(key, () => this.#askAndStore(key, keeping, ask), answered, signal);
  }

  isAsking(key: CacheKey): boolean {
    return this.#flights.has(key);
  }

  async #askAndStore(key: CacheKey, keeping: Keeping, ask: () => Promise<Asked>): Promise<Answered> {
    try {
      const asked = await ask();
      const entry = await this.store(key, keeping, asked);
      return {kind: 'answer', entry};
    } catch (error) {
      if (!(error instanceof AskFailure)) throw error;
      if (!error.abandoned) await this.#failures.remember(key, error.reason, error.message, error.retryAfter);
      return {kind: 'failure', reason: error.reason, detail: error.message, remembered: false};
    }
  }

  /** Stores an answer. A store that cannot be written to costs the storing, not the answer. */
  async store(key: CacheKey, keeping: Keeping, asked: Asked): Promise<Entry> {
    const readAt = this.#clock.wall();
    const entry: Entry = {
      v: 1,
      step: keeping.step,
      value: asked.value,
      readAt,
      freshUntil: (readAt + Math.min(keeping.freshFor, keeping.keepFor)) as WallTime,
      expiresAt: (readAt + keeping.keepFor) as WallTime,
      took: asked.took,
      ...(asked.etag === undefined ? {} : {etag: asked.etag}),
      files: asked.files,
      private: keeping.private,
    };
    await this.#stores.own.set(key, entry, keeping.keepFor).catch(() => false);
    if (!keeping.private && this.#stores.shared !== undefined) {
      await this.#stores.shared.set(key, entry, keeping.keepFor);
    }
    await this.#failures.forget(key);
    return entry;
  }

  /** Every stored answer of this user, newest first. */
  async list(): Promise<readonly {readonly key: CacheKey; readonly entry: Entry}[]> {
    const found: {key: CacheKey; entry: Entry}[] = [];
    for (const stored of this.#stores.keys()) {
      const key = stored.slice(stored.indexOf(':') + 1); // Keyv puts its namespace in front
      const entry = readEntry(await this.#stores.own.get(key).catch(() => undefined));
      if (entry !== undefined) found.push({key: key as CacheKey, entry});
    }
    return found.sort((a, b) => b.entry.readAt - a.entry.readAt);
  }

  /** Forgets answers (all, or of one step or plugin) and remembered failures. Returns how many answers there were. */
  async clear(matches: (entry: Entry) => boolean, all: boolean): Promise<number> {
    const found = (await this.list()).filter(({entry}) => matches(entry));
    for (const {key, entry} of found) {
      await this.#stores.own.delete(key);
      await this.#failures.forget(key);
      if (!entry.private) await this.#stores.shared?.delete(key);
    }
    if (all) await this.#stores.own.clear();
    return found.length;
  }
}
