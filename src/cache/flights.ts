import {digest} from '../system/digest.js';
import type {LockScope} from '../system/process-lock.js';

/**
 * Single flight: callers of one key share the question in progress, within this process by its promise and across
 * processes by a lock that a living process holds. A holder that dies frees the lock, and a follower takes over.
 */
export class Flights {
  readonly #scope: LockScope | undefined;
  readonly #inFlight = new Map<string, Promise<unknown>>();

  constructor(scope: LockScope | undefined) {
    this.#scope = scope;
  }

  /** Is this process asking for the key right now? */
  has(key: string): boolean {
    return this.#inFlight.has(key);
  }

  /**
   * Runs `ask` unless somebody is asking already. In this process everybody gets the same promise; when another process
   * is asking, `isAnswered` is consulted after it has finished, and `ask` runs only if there is still nothing.
   */
  async share<T>(
    key: string,
    ask: () => Promise<T>,
    answered: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T> {
    const present = this.#inFlight.get(key) as Promise<T> | undefined;
    if (present !== undefined) return await present;
    const flight = this.#fly(key, ask, answered, signal).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, flight);
    return await flight;
  }

  async #fly<T>(
    key: string,
    ask: () => Promise<T>,
    answered: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T> {
    const scope = this.#scope;
    if (scope === undefined) return await ask();
    const name = `answer/${digest(key, 32)}`; // a socket's name is short, and a cut one would be another key's
    for (;;) {
      const lock = await scope.tryAcquire(name).catch(() => 'no-locks' as const);
      if (lock === 'no-locks') return await ask();
      if (lock !== undefined) {
        try {
          return (await answered()) ?? (await ask());
        } finally {
          lock.release();
        }
      }
      await scope.released(name, signal);
      if (signal.aborted) return await ask(); // `ask` sees the aborted signal and says so in its own words
      const theirs = await answered();
      if (theirs !== undefined) return theirs;
    }
  }
}
