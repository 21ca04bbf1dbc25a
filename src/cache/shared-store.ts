import type {Keyv} from 'keyv';

/** A shared store must not hold a launch: how long it may take to answer, in milliseconds, before it is left out. */
export const sharedLimit = 500;

/** How long a store that failed or was late is left alone: a launch every few seconds must not pay the limit each time. */
const restTime = 30_000;

export interface SharedStoreOptions {
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly limit?: number;
}

/**
 * A team's store behind a wall: every use takes at most the limit and never throws, and a store that fails once is closed
 * and left alone for half a minute. A new connection is a new Keyv, since adapters add listeners at each reconnect.
 */
export class SharedStore {
  readonly #open: () => Keyv;
  readonly #now: () => number;
  readonly #limit: number;
  #keyv: Keyv | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(open: () => Keyv, options: SharedStoreOptions = {}) {
    this.#open = open;
    this.#now = options.now ?? (() => performance.now());
    this.#limit = options.limit ?? sharedLimit;
  }

  async get(key: string): Promise<unknown> {
    return await this.#use((keyv) => keyv.get(key));
  }

  /** Can it be talked to right now? */
  async answers(): Promise<boolean> {
    const talked = async (keyv: Keyv): Promise<boolean> => {
      await keyv.get('is anybody there');
      return true;
    };
    return (await this.#use(talked)) === true;
  }

  /** `ttl` in milliseconds. */
  async set(key: string, value: unknown, ttl: number): Promise<void> {
    await this.#use((keyv) => keyv.set(key, value, Math.ceil(ttl)));
  }

  async delete(key: string): Promise<void> {
    await this.#use((keyv) => keyv.delete(key));
  }

  /** Closes the connection at once, whatever is still under way. */
  async close(): Promise<void> {
    this.#restsUntil = Number.POSITIVE_INFINITY;
    await this.#drop();
  }

  async #use<T>(work: (keyv: Keyv) => Promise<T>): Promise<T | undefined> {
    if (this.#now() < this.#restsUntil) return undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      this.#keyv ??= this.#opened();
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('the shared store is late')), this.#limit);
      });
      return await Promise.race([work(this.#keyv), late]);
    } catch {
      await this.#rest();
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Adapters report most of their failures as events, and answer 'nothing there'. */
  #opened(): Keyv {
    const keyv = this.#open();
    keyv.on('error', () => void this.#rest(keyv));
    return keyv;
  }

  async #rest(keyv = this.#keyv): Promise<void> {
    if (keyv !== this.#keyv) return;
    this.#restsUntil = Math.max(this.#restsUntil, this.#now() + restTime);
    await this.#drop();
  }

  async #drop(): Promise<void> {
    const store = this.#keyv?.opts.store as {disconnect?: (force: boolean) => Promise<void>} | undefined;
    this.#keyv = undefined;
    // Redis's own argument: without it, closing waits for the answers that never come.
    await store?.disconnect?.(true).catch(() => undefined);
  }
}
