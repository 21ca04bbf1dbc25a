import {randomInt} from 'node:crypto';
import {mkdirSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {done, failed, type Result} from '../model/failure.js';
import {atomicWrite} from '../system/atomic-write.js';
import {readPlainFile} from '../system/soft-reads.js';
import type {BenchResult} from './result.js';
import {isBenchResult} from './result-shape.js';

/** 10,000 rounds with timelines; whatever is larger is none of ours. */
const fileLimit = 256 * 1024 * 1024;

/** Benches on disk: one JSON file each, replaced whole, readable by nobody else. */
export class BenchStore {
  readonly #directory: string;

  /** `state` is the state directory; `bench` in it is made when something is kept. */
  constructor(state: string) {
    this.#directory = join(state, 'bench');
  }

  save(result: BenchResult): void {
    mkdirSync(this.#directory, {recursive: true, mode: 0o700});
    atomicWrite(this.path(result.id), `${JSON.stringify(result, undefined, 1)}\n`);
  }

  path(id: string): string {
    return join(this.#directory, `${id}.json`);
  }

  /** All ids, the newest first. */
  ids(): readonly string[] {
    try {
      return readdirSync(this.#directory)
        .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
        .map((name) => name.slice(0, -'.json'.length))
        .sort()
        .reverse();
    } catch {
      return [];
    }
  }

  /** As many benches as can be read, the newest first. */
  newest(count: number): readonly BenchResult[] {
    const found: BenchResult[] = [];
    for (const id of this.ids()) {
      const result = found.length < count ? this.#read(id) : undefined;
      if (result !== undefined) found.push(result);
    }
    return found;
  }

  /** The bench of this id, or the newest whose id or title ends with the text; without a text, the newest of all. */
  find(text: string | undefined): Result<BenchResult> {
    const ids = this.ids();
    const id = text === undefined ? ids[0] : ids.find((one) => one.endsWith(text));
    const found =
      id === undefined ? this.newest(Number.POSITIVE_INFINITY).find(({title}) => title === text) : this.#read(id);
    return found === undefined ? failed({reason: 'unknown-bench', wanted: text}) : done(found);
  }

  #read(id: string): BenchResult | undefined {
    try {
      const value: unknown = JSON.parse(readPlainFile(this.path(id), fileLimit) ?? '');
      return isBenchResult(value) && value.id === id ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Of the three random bytes of an id: one that follows in the same second is greater by up to this much. */
const idStep = 65_536;

/**
 * `20261130-101502-3f9a12`, by the second. Behind `last` (the greatest id there is) even where two come in one second or the
 * clock has been set back: ids sort in the order in which they were made, and what was made last is what is meant.
 */
export const newBenchId = (at: Date, last: string | undefined): string => {
  const stamp = stampOf(at);
  const [, before = '', suffix = ''] = /^(\d{8}-\d{6})-([0-9a-f]{6})$/.exec(last ?? '') ?? [];
  if (stamp > before) return `${stamp}-${hex(randomInt(2 ** 23))}`;
  const next = Number.parseInt(suffix, 16) + 1 + randomInt(idStep);
  if (next < 2 ** 24) return `${before}-${hex(next)}`;
  const [year, month, day, hour, minute, second] = before.match(/^\d{4}|\d\d/g)?.map(Number) ?? [];
  const later = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, (second ?? 0) + 1));
  return `${stampOf(later)}-${hex(randomInt(2 ** 23))}`;
};

const stampOf = (at: Date): string => {
  const [date = '', time = ''] = at.toISOString().split(/[T.]/);
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}`;
};

const hex = (value: number): string => value.toString(16).padStart(6, '0');
