import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import {join} from 'node:path';
import type {LaunchRecord} from '../model/record.js';
import type {WallTime} from '../model/units.js';
import {type LaunchRow, rowOf} from '../profile/launch-row.js';
import {appendTo} from '../system/append-to.js';
import {atomicWrite} from '../system/atomic-write.js';
import {linesBackwards} from './lines-backwards.js';
import {parseRecord} from './record-schema.js';
import {checkSum, encodeRow, fillerRow, RowFile, type RowTest, rowBytes} from './row-codec.js';
import {segmentId, segmentsOf} from './segments.js';

/** What is kept of the index: 131,072 launches (32 MiB) and 400 days, in milliseconds. Longer than whole records. */
export const indexRetention = {bytes: 131_072 * rowBytes, age: 400 * 86_400_000} as const;

const fileName = /^[0-9A-HJKMNP-TV-Z]{26}\.rows$/;

/** A launch in the index, and the segment its record is or was in. */
export interface IndexedLaunch {
  readonly row: LaunchRow;
  readonly segment: string;
}

/**
 * One row for each launch, in a file for each segment: appended with the record, and made again from the segment whenever
 * the rows do not account for every byte of it (a crash between the two writes, a build that knew no index, two writers
 * at once). So the index is never the truth, only quick. A segment that has been dropped leaves its rows behind: the
 * history is longer than the details.
 */
export class LaunchIndex {
  readonly #records: string;
  readonly #directory: string;

  constructor(recordsDirectory: string) {
    this.#records = recordsDirectory;
    this.#directory = `${recordsDirectory}-index`;
  }

  /** Adds a launch whose line of `lineBytes` has been written. Trouble costs nothing: the next reader makes it good. */
  append(segment: string, record: LaunchRecord, lineBytes: number): void {
    try {
      mkdirSync(this.#directory, {recursive: true, mode: 0o700});
      appendTo(join(this.#directory, rowsName(segment)), encodeRow(rowOf(record, checkSum), lineBytes));
    } catch {
      // No room, no right, or another thing in its place.
    }
  }

  /**
   * The launches that pass, those that ended last first; those of the segments that were begun before `id` was made before
   * all others, where it is given. Files are read as far as the caller goes.
   */
  *backwards(test: RowTest, id?: string): Generator<IndexedLaunch> {
    const segments = this.#segments();
    const later = id === undefined ? [] : segments.filter((name) => segmentId(name) > id);
    const earlier = segments.slice(0, segments.length - later.length);
    // A launch is kept where its end fell, which may be later than its id by as long as it ran.
    const order =
      id === undefined ? segments.reverse() : [...earlier.slice(-1), ...later, ...earlier.slice(0, -1).reverse()];
    for (const segment of order) {
      const rows = this.#rowsOf(segment);
      for (let index = rows.count - 1; index >= 0; index -= 1) {
        const row = rows.passes(index, test) ? rows.at(index) : undefined;
        if (row !== undefined) yield {row, segment};
      }
    }
  }

  /** Launches on record, by the sizes of files alone; rows that account for what is no launch count with them. */
  get count(): number {
    return this.#segments().reduce((sum, segment) => {
      const path = join(this.#directory, rowsName(segment));
      return sum + Math.floor((lstatSync(path, {throwIfNoEntry: false})?.size ?? 0) / rowBytes);
    }, 0);
  }

  /** Drops what is not to be kept. */
  prune(now: WallTime): void {
    let bytes = 0;
    for (const name of this.#files().reverse()) {
      const path = join(this.#directory, name);
      const status = lstatSync(path, {throwIfNoEntry: false});
      bytes += status?.size ?? 0;
      const isOld = now - (status?.mtimeMs ?? now) > indexRetention.age;
      if (bytes > indexRetention.bytes || isOld) rmSync(path, {force: true});
    }
  }

  /** Names of all segments that are, and of those that were and left their rows; oldest first. */
  #segments(): string[] {
    const gone = this.#files().map((name) => `${name.slice(0, 26)}.jsonl`);
    return [...new Set([...segmentsOf(this.#records), ...gone])].sort();
  }

  #files(): string[] {
    try {
      return readdirSync(this.#directory)
        .filter((name) => fileName.test(name))
        .sort();
    } catch {
      return []; // not made yet, or not readable
    }
  }

  #rowsOf(segment: string): RowFile {
    const stored = new RowFile(readBytes(join(this.#directory, rowsName(segment))));
    const size = lstatSync(join(this.#records, segment), {throwIfNoEntry: false})?.size;
    if (size === undefined || stored.accounted === size) return stored;
    const made = this.#make(segment, size);
    try {
      mkdirSync(this.#directory, {recursive: true, mode: 0o700});
      atomicWrite(join(this.#directory, rowsName(segment)), made, {sync: false});
    } catch {
      // Not ours to write: it is made again each time.
    }
    return new RowFile(made);
  }

  /** The rows of a segment from its records. What is written meanwhile is missing, which the next reader notices. */
  #make(segment: string, size: number): Buffer {
    const found: {readonly row: LaunchRow; readonly bytes: number}[] = [];
    let rest = size;
    for (const line of linesBackwards(join(this.#records, segment))) {
      const record = parseRecord(line);
      if (record === undefined) continue;
      // The last line of all may lack its end.
      const bytes = Math.min(rest, Buffer.byteLength(line) + 1);
      rest -= bytes;
      found.push({row: rowOf(record, checkSum), bytes});
    }
    const rows = found.reverse().map(({row, bytes}) => encodeRow(row, bytes));
    return Buffer.concat(rest > 0 ? [fillerRow(rest), ...rows] : rows);
  }
}

const rowsName = (segment: string): string => `${segment.slice(0, 26)}.rows`;

const readBytes = (path: string): Buffer => {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return fstatSync(descriptor).isFile() ? readFileSync(descriptor) : Buffer.alloc(0);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
};
