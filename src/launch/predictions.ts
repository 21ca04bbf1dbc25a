import * as v from 'valibot';
import type {Milliseconds, WallTime} from '../model/units.js';
import {atomicWrite} from '../system/atomic-write.js';
import {readPlainFile} from '../system/soft-reads.js';

/** After so many wrong predictions in a row, launches have to prove that they come often enough. */
const unusedInARow = 3;

/** Two hundred places are some 40 KiB; whatever is larger is none of ours. */
const fileLimit = 16 * 1024 * 1024;

/** Places that are remembered; the ones without a launch for longest go first. */
const placesKept = 200;

const place = v.object({
  /** What was ready here ahead of a launch (standbys, warm-ups), and how much of it a launch took. */
  ready: v.number(),
  used: v.number(),
  unusedInARow: v.number(),
  lastLaunchAt: v.number(),
  /** Milliseconds between the last two launches here; null before the second. */
  lastGap: v.nullable(v.number()),
});

type Place = v.InferOutput<typeof place>;

const fresh: Place = {ready: 0, used: 0, unusedInARow: 0, lastLaunchAt: 0, lastGap: null};

/**
 * What became of everything that was made ready ahead of launches, by place: a project whose VM is kept booted, a program in
 * a directory, one program behind another. The prediction is: who has launched here will launch here again before `keep` is
 * over. Where it was wrong three times in a row nothing more is made ready, until two launches do come within that time.
 */
export class Predictions {
  readonly #path: string | undefined;
  readonly #places: Map<string, Place>;

  constructor(path: string | undefined) {
    this.#path = path;
    this.#places = new Map(Object.entries(path === undefined ? {} : readPlaces(path)));
  }

  launched(name: string, at: WallTime): void {
    const old = this.#places.get(name) ?? fresh;
    this.#places.delete(name); // the newest last
    this.#places.set(name, {...old, lastLaunchAt: at, lastGap: old.lastLaunchAt === 0 ? null : at - old.lastLaunchAt});
  }

  isWorthIt(name: string, keep: Milliseconds): boolean {
    const known = this.#places.get(name) ?? fresh;
    if (known.unusedInARow < unusedInARow) return true;
    return known.lastGap !== null && known.lastGap >= 0 && known.lastGap < keep;
  }

  ended(name: string, wasUsed: boolean): void {
    const old = this.#places.get(name) ?? fresh;
    this.#places.set(name, {
      ...old,
      ready: old.ready + 1,
      used: old.used + (wasUsed ? 1 : 0),
      unusedInARow: wasUsed ? 0 : old.unusedInARow + 1,
    });
    this.#write();
  }

  figures(name: string): {readonly ready: number; readonly used: number} {
    const {ready, used} = this.#places.get(name) ?? fresh;
    return {ready, used};
  }

  #write(): void {
    if (this.#path === undefined) return;
    const newest = [...this.#places].slice(-placesKept);
    try {
      atomicWrite(this.#path, JSON.stringify(Object.fromEntries(newest)), {sync: false});
    } catch {
      // then the next daemon begins to learn anew
    }
  }
}

const readPlaces = (path: string): Readonly<Record<string, Place>> => {
  try {
    const read = v.safeParse(v.record(v.string(), place), JSON.parse(readPlainFile(path, fileLimit) ?? ''));
    return read.success ? read.output : {};
  } catch {
    return {};
  }
};
