import {closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import type {LaunchRecord} from '../model/record.js';
import type {WallTime} from '../model/units.js';
import {isLaunchId} from './launch-id.js';
import {linesBackwards} from './lines-backwards.js';
import {recordLine} from './record-line.js';
import {parseRecord} from './record-schema.js';
import {pruneSegments, segmentFor, segmentId, segmentsOf} from './segments.js';

/**
 * All launches of a state directory, in the order in which they ended: JSON lines in segments whose names sort by time.
 * Appending is one `write` to a descriptor in append mode, which concurrent writers do not tear; a line cut by a crash is
 * skipped on reading and ended by the next writer.
 */
export class RecordLog {
  readonly #directory: string;

  /** `directory` is made when the first launch is added. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Adds a launch. Throws the file system's error; the log stays readable. */
  append(record: LaunchRecord): void {
    mkdirSync(this.#directory, {recursive: true, mode: 0o700});
    const now = Date.now() as WallTime;
    const {name, isNew} = segmentFor(this.#directory, now);
    if (isNew) pruneSegments(this.#directory, now);
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const descriptor = openSync(join(this.#directory, name), flags, 0o600);
    try {
      const text = `${recordLine(record)}\n`;
      const line = Buffer.from(endsLine(descriptor) ? text : `\n${text}`);
      for (let offset = 0; offset < line.length; ) offset += writeSync(descriptor, line, offset);
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

  /** The launch of this id, or the newest of those whose id ends with the text; in either case of letters. */
  find(text: string): LaunchRecord | undefined {
    const wanted = text.toUpperCase();
    if (!/^[0-9A-Z]+$/.test(wanted)) return undefined;
    for (const line of this.#lines(this.#searchOrder(wanted))) {
      // Most lines are passed over without being parsed.
      const record = line.includes(`${wanted}"`) ? parseRecord(line) : undefined;
      if (record?.id.endsWith(wanted) === true) return record;
    }
    return undefined;
  }

  /**
   * Newest first, but for a whole id, which tells its time, from there back and then forth: a launch is kept where its
   * end fell, which may be later than its id by as long as it ran.
   */
  #searchOrder(wanted: string): readonly string[] {
    const segments = segmentsOf(this.#directory);
    if (!isLaunchId(wanted)) return [...segments].reverse();
    const later = segments.filter((name) => segmentId(name) > wanted);
    const earlier = segments.slice(0, segments.length - later.length);
    return [...earlier.slice(-1), ...later, ...earlier.slice(0, -1).reverse()];
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
