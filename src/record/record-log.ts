import {closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import type {LaunchRecord} from '../model/record.js';
import type {WallTime} from '../model/units.js';
import {type LaunchFilter, recordFits} from '../profile/launch-filter.js';
import type {LaunchRow} from '../profile/launch-row.js';
import {isLaunchId} from './launch-id.js';
import {LaunchIndex} from './launch-index.js';
import {linesBackwards} from './lines-backwards.js';
import {recordLine} from './record-line.js';
import {parseRecord} from './record-schema.js';
import {idTest, rowTest} from './row-codec.js';
import {pruneSegments, segmentFor, segmentsOf} from './segments.js';

/**
 * All launches of a state directory, in the order in which they ended: JSON lines in segments whose names sort by time.
 * Appending is one `write` to a descriptor in append mode, which concurrent writers do not tear; a line cut by a crash is
 * skipped on reading and ended by the next writer.
 */
export class RecordLog {
  readonly #directory: string;
  readonly #index: LaunchIndex;

  /** `directory` is made when the first launch is added, and `directory`-index beside it. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#index = new LaunchIndex(directory);
  }

  /** Adds a launch. Throws the file system's error; the log stays readable. */
  append(record: LaunchRecord): void {
    mkdirSync(this.#directory, {recursive: true, mode: 0o700});
    const now = Date.now() as WallTime;
    const {name, isNew} = segmentFor(this.#directory, now);
    if (isNew) {
      pruneSegments(this.#directory, now);
      this.#index.prune(now);
    }
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const descriptor = openSync(join(this.#directory, name), flags, 0o600);
    try {
      const text = `${recordLine(record)}\n`;
      const line = Buffer.from(endsLine(descriptor) ? text : `\n${text}`);
      for (let offset = 0; offset < line.length; ) offset += writeSync(descriptor, line, offset);
      this.#index.append(name, record, line.length);
    } finally {
      closeSync(descriptor);
    }
  }

  /** The launches that ended last, the last one first. Reads from the end only as far as needed. */
  newest(count: number): readonly LaunchRecord[] {
    const found: LaunchRecord[] = [];
    if (count < 1) return found;
    for (const line of this.#lines([...segmentsOf(this.#directory)].reverse())) {
      const record = parseRecord(line);
      if (record !== undefined && found.push(record) >= count) break;
    }
    return found;
  }

  /** The same of the launches that fit a filter; the index says where they are. */
  newestOf(filter: LaunchFilter, count: number): readonly LaunchRecord[] {
    const found: LaunchRecord[] = [];
    if (count < 1) return found;
    for (const {segment, ids} of this.#bySegment(filter, count)) {
      for (const record of this.#recordsIn(segment, ids)) {
        if (recordFits(record, filter)) found.push(record);
      }
    }
    return found;
  }

  /** Rows of the launches that fit, those that ended last first; also of launches whose records have been dropped. */
  rows(filter: LaunchFilter, count: number): readonly LaunchRow[] {
    const found: LaunchRow[] = [];
    if (count < 1) return found;
    for (const {row} of this.#index.backwards(rowTest(filter))) if (found.push(row) >= count) break;
    return found;
  }

  /** How many launches are on record, in rows at least. */
  get count(): number {
    return this.#index.count;
  }

  /** The launch of this id, or the newest of those whose id ends with the text; in either case of letters. */
  find(text: string): LaunchRecord | undefined {
    const wanted = text.toUpperCase();
    if (!/^[0-9A-Z]+$/.test(wanted)) return undefined;
    for (const {row, segment} of this.#index.backwards(idTest(wanted), isLaunchId(wanted) ? wanted : undefined)) {
      const [record] = this.#recordsIn(segment, new Set([row.id]));
      if (record !== undefined) return record;
    }
    return undefined;
  }

  /** Ids of the newest launches that fit, segment by segment. */
  #bySegment(filter: LaunchFilter, count: number): readonly {readonly segment: string; readonly ids: Set<string>}[] {
    const groups: {readonly segment: string; readonly ids: Set<string>}[] = [];
    let left = count;
    for (const {row, segment} of this.#index.backwards(rowTest(filter))) {
      const last = groups.at(-1);
      if (last?.segment === segment) last.ids.add(row.id);
      else groups.push({segment, ids: new Set([row.id])});
      left -= 1;
      if (left === 0) break;
    }
    return groups;
  }

  /** Records of one segment by their ids, the last one first. Other lines are passed over without being parsed. */
  *#recordsIn(segment: string, ids: ReadonlySet<string>): Generator<LaunchRecord> {
    for (const line of this.#lines([segment])) {
      const id = /^\{"v":1,"id":"([0-9A-Z]{26})"/.exec(line)?.[1];
      if (id !== undefined && !ids.has(id)) continue;
      const record = parseRecord(line);
      if (record !== undefined && ids.has(record.id)) yield record;
    }
  }

  *#lines(segments: readonly string[]): Generator<string> {
    for (const name of segments) yield* linesBackwards(join(this.#directory, name));
  }
}

const endsLine = (descriptor: number): boolean => {
  const size = fstatSync(descriptor).size;
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] === 0x0a;
};
