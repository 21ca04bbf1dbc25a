import pLimit from 'p-limit';
import type {AnswerCache} from '../cache/answer-cache.js';
import {askCached, keepingOf, type Question, questionKey} from '../launch/asking.js';
import type {CacheKey, LaunchId} from '../model/units.js';
import {type SharedLaunch, stepName} from '../steps/messages.js';
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

/**
 * An answer is not asked for again sooner than this after the last attempt, in milliseconds: where neither answer nor
 * failure can be stored (disk full), nothing else would keep us from asking without a pause.
 */
const attemptPause = 60_000;

/** Longest timer that Node takes. */
const timerLimit = 2_147_483_647;

interface Watched {
  readonly question: Question;
  /** With the environment of the last launch that used the answer: in memory only, it may hold secrets. */
  readonly launch: SharedLaunch;
  readonly usedAt: number;
  /** Share of the fresh time that is left when it is asked for; the same until it is asked for, or it would never be due. */
  readonly lead: number;
  /** Monotonic; asked for since, with whatever result. */
  readonly attemptedAt: number | undefined;
}

const newLead = (): number => leadShare + Math.random() * jitterShare;

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
  #refreshes = 0;
  #stopped = false;

  constructor(cache: AnswerCache, clock: Clock, log: Log, useWindow: number) {
    this.#cache = cache;
    this.#clock = clock;
    this.#log = log;
    this.#useWindow = useWindow;
  }

  /** A launch has used this answer. */
  use(question: Question, launch: SharedLaunch): void {
    const old = this.#watched.get(question.key);
    this.#watched.delete(question.key);
    this.#watched.set(question.key, {
      question,
      launch,
      usedAt: this.#clock.now(),
      lead: old?.lead ?? newLead(),
      attemptedAt: old?.attemptedAt,
    });
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
    for (const [key, watched] of this.#watched) {
      const due = await this.#dueIn(watched);
      // Due when nobody has used it for too long: not worth waking up for. A launch that uses it brings it back.
      if (this.#clock.now() + (due ?? 0) - watched.usedAt > this.#useWindow) {
        if (this.#watched.get(key) === watched) this.#watched.delete(key);
        continue;
      }
      if (due !== undefined && (earliest === undefined || due < earliest)) earliest = due;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextAt = earliest === undefined || this.#stopped ? undefined : this.#clock.now() + earliest;
    if (earliest === undefined || this.#stopped) return;
    // Rounded up: a timer that fires a fraction too early finds nothing due.
    const wait = Math.min(Math.max(0, Math.ceil(earliest)), timerLimit);
    this.#timer = setTimeout(() => void this.#refreshDue(), wait).unref();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#nextAt = undefined;
    this.#watched.clear();
  }

  /** Milliseconds until an answer should be asked for again; undefined when there is none to keep fresh. */
  async #dueIn({question, lead, attemptedAt}: Watched): Promise<number | undefined> {
    const cached = await this.#cache.look(question.key, keepingOf(question));
    if (cached.state === 'missing') return undefined; // the next launch asks
    const {readAt, freshUntil} = cached.entry;
    const failure = await this.#cache.recentFailure(question.key);
    const due = Math.max(freshUntil - (freshUntil - readAt) * lead, failure?.until ?? 0) - this.#clock.wall();
    const pause = Math.min(attemptPause, question.info.freshFor / 2);
    return attemptedAt === undefined ? due : Math.max(due, attemptedAt + pause - this.#clock.now());
  }

  async #refreshDue(): Promise<void> {
    const due: Watched[] = [];
    for (const watched of this.#watched.values()) {
      const left = await this.#dueIn(watched);
      if (left !== undefined && left <= 0) due.push(watched);
    }
    await Promise.all(due.map((watched) => this.#limit(() => this.#tryRefresh(watched))));
    await this.plan();
  }

  async #tryRefresh(watched: Watched): Promise<void> {
    if (this.#stopped) return;
    try {
      await this.#refresh(watched);
    } catch (error) {
      this.#log('refresh-failed', {step: stepName(watched.question.ref), detail: String(error)});
    }
  }

  async #refresh(watched: Watched): Promise<void> {
    const left = await this.#dueIn(watched);
    if (left === undefined || left > 0) return; // a launch has asked while this one waited for its turn
    const {host, info, ref} = watched.question;
    // A name of its own: the launch itself may still be running, and is forgotten by whoever ends it.
    this.#refreshes += 1;
    const id = `${watched.launch.id}.refresh${this.#refreshes}` as LaunchId;
    const launch = {...watched.launch, id};
    const question = {...watched.question, launch: id};
    const {key} = question;
    const now = this.#watched.get(key);
    if (now !== undefined) this.#watched.set(key, {...now, attemptedAt: this.#clock.now(), lead: newLead()});
    host.remember(launch);
    try {
      // What the answer depends on may have changed since: then the next launch has another key, and this one rests.
      const inspected = await host.call('inspect', {
        launch: launch.id,
        steps: [{plugin: info.plugin, name: info.name}],
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
      this.#log('refreshed', {step: stepName(ref), result: answered.kind});
    } finally {
      host.forget(launch.id);
    }
  }
}
