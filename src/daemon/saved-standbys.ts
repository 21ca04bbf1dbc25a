import type {StandbySpec} from '../model/plan.js';
import type {StandbyProcess} from './standby-process.js';

/** A target that is written down for launches of one kind: it holds no memory, and each of them goes on from it. */
export interface SavedStandby {
  readonly spec: StandbySpec;
  /** Monotonic; when it was asked for. */
  readonly since: number;
  readonly process: StandbyProcess;
}

/** Can it be written down instead of kept in memory? */
export const canBeSaved = ({command}: StandbySpec): boolean => command.includes('{form}');

/** Targets written down where the memory budget has no room for one that waits; the newest of each place. */
export class SavedStandbys {
  readonly #kinds = new Map<string, SavedStandby>();

  /** Has one written down, unless that was done, or is being done, for this kind. `begin` starts the process. */
  ensure(digest: string, spec: StandbySpec, since: number, begin: () => StandbyProcess): StandbyProcess {
    const there = this.#kinds.get(digest);
    if (there !== undefined) return there.process;
    for (const [other, saved] of this.#kinds) if (saved.spec.place === spec.place) this.#forget(other, saved);
    const saved: SavedStandby = {spec, since, process: begin()};
    this.#kinds.set(digest, saved);
    // What ended before it was ready is tried anew by the next launch.
    void saved.process.ready.then((isReady) => {
      if (!isReady && this.#kinds.get(digest) === saved) this.#kinds.delete(digest);
    });
    return saved.process;
  }

  /** One that waits in memory has taken its part. */
  drop(digest: string): void {
    const saved = this.#kinds.get(digest);
    if (saved !== undefined) this.#forget(digest, saved);
  }

  processOf(digest: string): StandbyProcess | undefined {
    return this.#kinds.get(digest)?.process;
  }

  list(): readonly SavedStandby[] {
    return [...this.#kinds.values()];
  }

  /** Ends what is being written down. */
  async close(): Promise<void> {
    await Promise.all(this.list().map(({process}) => process.drop()));
  }

  #forget(digest: string, saved: SavedStandby): void {
    this.#kinds.delete(digest);
    void saved.process.drop();
  }
}
