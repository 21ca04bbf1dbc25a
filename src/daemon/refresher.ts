import pLimit from 'p-limit';
import type {AnswerCache} from '../cache/answer-cache.js';
import {askCached, keepingOf, type Question, questionKey} from '../launch/asking.js';
import type {CacheKey} from '../model/units.js';
import type {SharedLaunch} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import type {Log} from '../system/log-file.js';

/** An answer is asked for again when this share of its fresh time is left: 2.4 h of a day. */
const leadShare = 0.1;

/** Machines that started together drift apart by up to this share. */
const jitterShare = 0.02;

/** Refreshes at a time: background work, never in the way of a launch. */
const concurrency = 2;

/** Most answers kept fresh; the least recently used go first. */
const watchedLimit = 500;

/** Longest timer that Node takes. */
const timerLimit = 2_147_483_647;

interface Watched {
  readonly question: Question;
  /** With the environment of the last launch that used the answer: in memory only, it may hold secrets. */
  readonly launch: SharedLaunch;
  readonly usedAt: number;
}

/**
 * Asks again, before they turn stale, for answers that launches have used lately, so that nobody ever waits for an expiry.
 * One timer for the earliest; none when there is nothing to do.
 */
export class Refresher {
  readonly #cache: AnswerCache;
  readonly #clock: Clock;
  readonly #log: Log;
  /** An answer that no launch has used for this long is left to expire. */
  readonly #useWindow: number;
  readonly #watched = new Map<CacheKey, Watched>();
  readonly #limit = pLimit(concurrency);
  #timer: NodeJS.Timeout | undefined;
  #nextAt: number | undefined;

  constructor(cache: AnswerCache, clock: Clock, log: Log, useWindow: number) {
    this.#cache = cache;
    this.#clock = clock;
    this.#log = log;
    this.#useWindow = useWindow;
  }

  /** A launch has used this answer. */
  use(question: Question, launch: SharedLaunch): void {
    this.#watched.delete(question.key);
    this.#watched.set(question.key, {question, launch, usedAt: this.#clock.now()});
    for (const key of this.#watched.keys()) {
      if (this.#watched.size <= watchedLimit) break;
      this.#watched.delete(key);
    }
  }

  get count(): number {
    return this.#watched.size;
  }

  /** Milliseconds until the next refresh, or null. */
  get nextIn(): number | null {
    return this.#nextAt === undefined ? null : Math.max(0, this.#nextAt - this.#clock.now());
  }

  /** Sets the timer for the earliest answer. Call after launches and refreshes. */
  async plan(): Promise<void> {
    let earliest: number | undefined;
    for (const [key, {question, usedAt}] of this.#watched) {
      if (this.#clock.now() - usedAt > this.#useWindow) {
        this.#watched.delete(key);
        continue;
      }
      const due = await this.#dueIn(question);
      if (due !== undefined && (earliest === undefined || due < earliest)) earliest = due;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextAt = earliest === undefined ? undefined : this.#clock.now() + earliest;
    if (earliest === undefined) return;
    this.#timer = setTimeout(() => void this.#refreshDue(), Math.min(earliest, timerLimit)).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  /** Milliseconds until an answer should be asked for again; undefined when there is none to keep fresh. */
  async #dueIn({key, ...rest}: Question): Promise<number | undefined> {
    const question = {key, ...rest};
    const cached = await this.#cache.look(key, keepingOf(question));
    if (cached.state === 'missing') return undefined; // the next launch asks
    const {readAt, freshUntil} = cached.entry;
    const lead = (freshUntil - readAt) * (leadShare + Math.random() * jitterShare);
    const failure = await this.#cache.recentFailure(key);
    return Math.max(freshUntil - lead, failure?.until ?? 0) - this.#clock.wall();
  }

  async #refreshDue(): Promise<void> {
    const due: Watched[] = [];
    for (const watched of this.#watched.values()) {
      const left = await this.#dueIn(watched.question);
      if (left !== undefined && left <= 0) due.push(watched);
    }
    await Promise.all(due.map((watched) => this.#limit(() => this.#refresh(watched))));
    await this.plan();
  }

  async #refresh({question, launch}: Watched): Promise<void> {
    const {host, info, ref} = question;
    host.remember(launch);
    try {
      // What the answer depends on may have changed since: then the next launch has another key, and this one rests.
      const inspected = await host.call('inspect', {
        launch: launch.id,
        steps: [{plugin: info.plugin, name: info.name}],
        updatables: launch.updatables,
      });
      const same =
        inspected.ok &&
        inspected.value.some((item) => item.kind === 'wanted' && questionKey(item.ref, item.key) === question.key);
      if (!same) {
        this.#watched.delete(question.key);
        return;
      }
      const cached = await this.#cache.look(question.key, keepingOf(question));
      const {answered} = await askCached(question, cached, this.#cache, this.#clock);
      this.#log('refreshed', {step: `${ref.plugin}/${ref.name}`, result: answered.kind});
    } finally {
      host.forget(launch.id);
    }
  }
}
