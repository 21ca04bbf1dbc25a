import {crc32} from 'node:zlib';
import type {LaunchRecord} from '../model/record.js';
import type {LaunchId, WallTime} from '../model/units.js';
import type {LaunchFilter} from '../profile/launch-filter.js';
import type {LaunchRow} from '../profile/launch-row.js';

/**
 * A row of the index: 256 bytes, numbers little-endian. One size for all, so that a row is found by counting and a torn
 * one shows; a check sum over the rest of it tells whether it is what was written.
 *
 *     0 'L' launch, 'F' filler   1 version   2 temperature   3 outcome   4 check sum of 8..255
 *     8 bytes of the record's line with its ends   12 check sum of the directory   16 at   24 total   32 five phases
 *    72 waited   80 ready (NaN: none)   88 via   89–95 zero   96 id (26)   122 front (10)   132 target (40)
 *   172 verb (16)   188 runtime (16)   204 version (20)   224 build (32)
 *
 * A filler accounts for bytes of a segment that are no launch, so that all rows together have its size.
 */
export const rowBytes = 256;

const rowVersion = 1;
const launchMark = 0x4c;
const fillerMark = 0x46;

const temperatures = ['warm', 'cold', 'mixed'] as const satisfies readonly LaunchRecord['temperature'][];
const outcomes = ['exited', 'killed', 'not-started', 'lost'] as const;
const vias = ['daemon', 'in-process'] as const satisfies readonly LaunchRecord['via'][];

const texts = {
  front: {from: 122, bytes: 10},
  target: {from: 132, bytes: 40},
  verb: {from: 172, bytes: 16},
  runtime: {from: 188, bytes: 16},
  version: {from: 204, bytes: 20},
  build: {from: 224, bytes: 32},
} as const;
type TextName = keyof typeof texts;

export const checkSum = (text: string | Uint8Array): number => crc32(text);

/** `lineBytes`: what the record took of its segment, line ends included. */
export const encodeRow = (row: LaunchRow, lineBytes: number): Buffer => {
  const bytes = Buffer.alloc(rowBytes);
  bytes[0] = launchMark;
  bytes[1] = rowVersion;
  bytes[2] = temperatures.indexOf(row.temperature);
  bytes[3] = outcomes.indexOf(row.outcome);
  bytes.writeUInt32LE(lineBytes, 8);
  bytes.writeUInt32LE(row.cwd, 12);
  bytes.writeDoubleLE(row.at, 16);
  bytes.writeDoubleLE(row.total, 24);
  for (const [index, length] of row.phases.entries()) bytes.writeDoubleLE(length, 32 + 8 * index);
  bytes.writeDoubleLE(row.waited, 72);
  bytes.writeDoubleLE(row.ready ?? Number.NaN, 80);
  bytes[88] = vias.indexOf(row.via);
  bytes.write(row.id, 96, 26, 'latin1');
  for (const name of Object.keys(texts) as TextName[]) {
    bytes.set(textBytes(name, name === 'version' ? row.runtimeVersion : row[name]), texts[name].from);
  }
  return sealed(bytes);
};

export const fillerRow = (lineBytes: number): Buffer => {
  const bytes = Buffer.alloc(rowBytes);
  bytes[0] = fillerMark;
  bytes[1] = rowVersion;
  bytes.writeUInt32LE(lineBytes, 8);
  return sealed(bytes);
};

const sealed = (bytes: Buffer): Buffer => {
  bytes.writeUInt32LE(checkSum(bytes.subarray(8)), 4);
  return bytes;
};

/** A text as the index has it: cut to its place, never within a character, zeros behind it. */
const textBytes = (name: TextName, text: string): Buffer => {
  const place = Buffer.alloc(texts[name].bytes);
  place.write(text, 'utf8'); // writes whole characters only
  return place;
};

/** Rows as they were read from one file. Positions are in rows. */
export class RowFile {
  readonly count: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.count = Math.floor(bytes.length / rowBytes);
  }

  /** Bytes of the segment that the rows account for; undefined when a row is torn or of another version. */
  get accounted(): number | undefined {
    if (this.#bytes.length % rowBytes !== 0) return undefined;
    let sum = 0;
    for (let start = 0; start < this.#bytes.length; start += rowBytes) {
      const mark = this.#bytes[start];
      if ((mark !== launchMark && mark !== fillerMark) || this.#bytes[start + 1] !== rowVersion) return undefined;
      sum += this.#bytes.readUInt32LE(start + 8);
    }
    return sum;
  }

  /** The launch in this place; undefined for a filler and for what is not as it was written. */
  at(index: number): LaunchRow | undefined {
    const bytes = this.#bytes.subarray(index * rowBytes, (index + 1) * rowBytes);
    if (bytes[0] !== launchMark || bytes.readUInt32LE(4) !== checkSum(bytes.subarray(8))) return undefined;
    const ready = bytes.readDoubleLE(80);
    return {
      id: bytes.toString('latin1', 96, 122) as LaunchId,
      at: bytes.readDoubleLE(16) as WallTime,
      verb: textOf(bytes, 'verb'),
      target: textOf(bytes, 'target'),
      runtime: textOf(bytes, 'runtime'),
      runtimeVersion: textOf(bytes, 'version'),
      build: textOf(bytes, 'build'),
      front: textOf(bytes, 'front'),
      via: vias[bytes[88] ?? 0] ?? 'daemon',
      temperature: temperatures[bytes[2] ?? 0] ?? 'mixed',
      outcome: outcomes[bytes[3] ?? 0] ?? 'lost',
      cwd: bytes.readUInt32LE(12),
      total: bytes.readDoubleLE(24),
      phases: [32, 40, 48, 56, 64].map((place) => bytes.readDoubleLE(place)),
      waited: bytes.readDoubleLE(72),
      ready: Number.isNaN(ready) ? null : ready,
    };
  }

  /** Is there a launch in this place that a test of raw bytes passes? */
  passes(index: number, test: RowTest): boolean {
    return this.#bytes[index * rowBytes] === launchMark && test(this.#bytes, index * rowBytes);
  }
}

const textOf = (bytes: Buffer, name: TextName): string => {
  const {from, bytes: length} = texts[name];
  const end = bytes.indexOf(0, from);
  return bytes.toString('utf8', from, end < 0 || end > from + length ? from + length : end);
};

/** Looks at the row that starts at a byte, without making anything of it. */
export type RowTest = (bytes: Buffer, start: number) => boolean;

/** A filter over raw rows. Texts longer than their place fit when their beginnings do. */
export const rowTest = (filter: LaunchFilter): RowTest => {
  const tests: RowTest[] = [];
  const byte = (place: number, wanted: number): number => tests.push((bytes, start) => bytes[start + place] === wanted);
  for (const name of Object.keys(texts) as TextName[]) {
    const wanted = filter[name];
    if (wanted === undefined) continue;
    const {from, bytes: length} = texts[name];
    const place = textBytes(name, wanted);
    // One byte tells most of them apart, and costs a hundredth of the call.
    const [first] = place;
    tests.push(
      (bytes, start) =>
        bytes[start + from] === first && bytes.compare(place, 0, length, start + from, start + from + length) === 0,
    );
  }
  if (filter.temperature !== undefined) byte(2, (temperatures as readonly string[]).indexOf(filter.temperature));
  if (filter.outcome !== undefined) byte(3, (outcomes as readonly string[]).indexOf(filter.outcome));
  if (filter.via !== undefined) byte(88, (vias as readonly string[]).indexOf(filter.via));
  if (filter.cwd !== undefined) {
    const sum = checkSum(filter.cwd);
    tests.push((bytes, start) => bytes.readUInt32LE(start + 12) === sum);
  }
  return (bytes, start) => tests.every((test) => test(bytes, start));
};

/** Passes launches whose id ends with a text of its letters and digits. */
export const idTest = (end: string): RowTest => {
  const wanted = Buffer.from(end, 'latin1');
  if (wanted.length > 26) return () => false;
  const last = wanted.at(-1);
  return (bytes, start) =>
    bytes[start + 121] === last &&
    bytes.compare(wanted, 0, wanted.length, start + 122 - wanted.length, start + 122) === 0;
};
