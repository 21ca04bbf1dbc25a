import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import {join} from 'node:path';
import type {LaunchRecord} from '../model/record.js';
import type {LaunchId} from '../model/units.js';
import {isLaunchId, launchIdTime} from './launch-id.js';
import {parseRecord} from './record-schema.js';

/** A segment takes about 500 launches; small ones keep reading the newest launches cheap however many there are. */
const segmentBytes = 1024 * 1024;

/** What is kept: 64 MiB (about 30,000 launches) and 90 days. */
export const retention = {bytes: 64 * segmentBytes, age: 90 * 86_400_000} as const;

/** One launch is a few kB; a line beyond this is not read. */
const lineLimit = 1024 * 1024;

const segmentName = /^[0-9A-HJKMNP-TV-Z]{26}\.jsonl$/;

/**
 * All launches of a state directory: JSON lines in segments whose names are the id of their first launch, so that they
 * sort by time. Appending is one `write` to a descriptor in append mode, which concurrent writers do not tear; a line cut
 * by a crash is skipped on reading and ended by the next writer.
 */
export class RecordLog {
  readonly #directory: string;

  /** `directory` is made if need be. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Adds a launch. Throws the file system's error; the log stays readable. */
  append(record: LaunchRecord): void {
    mkdirSync(this.#directory, {recursive: true, mode: 0o700});
    const last = this.#segments().at(-1);
    const size = last === undefined ? 0 : (statSync(join(this.#directory, last), {throwIfNoEntry: false})?.size ?? 0);
    const fits = last !== undefined && size < segmentBytes;
    if (!fits) this.#prune(Date.now());
    const path = join(this.#directory, fits ? last : `${record.id}.jsonl`);
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const descriptor = openSync(path, flags, 0o600);
    try {
      const text = `${JSON.stringify(record)}\n`;
      const line = Buffer.from(endsLine(descriptor) ? text : `\n${text}`);
      for (let offset = 0; offset < line.length; ) offset += writeSync(descriptor, line, offset);
    } finally {
      closeSync(descriptor);
    }
  }

  /** The newest launches, newest first. Reads from the end only as far as needed. */
  newest(count: number): readonly LaunchRecord[] {
    const found: LaunchRecord[] = [];
    for (const record of this.#backwards()) {
      if (found.length >= count) break;
      found.push(record);
    }
    return found;
  }

  /** The launch of this id, or of the one launch whose id ends with the text. */
  find(text: string): LaunchRecord | undefined {
    const whole = isLaunchId(text.toUpperCase()) ? (text.toUpperCase() as LaunchId) : undefined;
    for (const record of this.#backwards(whole)) {
      if (whole === undefined ? record.id.endsWith(text.toUpperCase()) : record.id === whole) return record;
    }
    return undefined;
  }

  *#backwards(notAfter?: LaunchId): Generator<LaunchRecord> {
    const segments = this.#segments().reverse();
    for (const segment of segments) {
      if (notAfter !== undefined && segment.slice(0, 26) > notAfter) continue;
      for (const line of linesBackwards(join(this.#directory, segment))) {
        const record = parseRecord(line);
        if (record !== undefined) yield record;
      }
    }
  }

  #segments(): string[] {
    try {
      return readdirSync(this.#directory)
        .filter((name) => segmentName.test(name))
        .sort();
    } catch {
      return [];
    }
  }

  /** Drops the oldest segments beyond what is kept. */
  #prune(now: number): void {
    let bytes = 0;
    for (const segment of this.#segments().reverse()) {
      const path = join(this.#directory, segment);
      bytes += statSync(path, {throwIfNoEntry: false})?.size ?? 0;
      const age = now - launchIdTime(segment.slice(0, 26) as LaunchId);
      if (bytes > retention.bytes || age > retention.age) rmSync(path, {force: true});
    }
  }
}

const endsLine = (descriptor: number): boolean => {
  const size = fstatSync(descriptor).size;
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] === 0x0a;
};

/** Lines of a file from the last to the first, in blocks of 64 KiB. */
function* linesBackwards(path: string): Generator<string> {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return;
  }
  try {
    let position = fstatSync(descriptor).size;
    let tail = Buffer.alloc(0);
    while (position > 0) {
      const length = Math.min(65_536, position);
      position -= length;
      const block = Buffer.alloc(length);
      readSync(descriptor, block, 0, length, position);
      const bytes = Buffer.concat([block, tail]);
      let end = bytes.length;
      for (
        let at = bytes.lastIndexOf(0x0a, end - 1);
        at >= 0 && end > 0;
        at = end > 0 ? bytes.lastIndexOf(0x0a, end - 1) : -1
      ) {
        if (at + 1 < end) yield bytes.toString('utf8', at + 1, end);
        end = at;
      }
      tail = end > lineLimit ? Buffer.alloc(0) : bytes.subarray(0, end);
    }
    if (tail.length > 0) yield tail.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
