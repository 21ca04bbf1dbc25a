import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {inflateRawSync} from 'node:zlib';
import {rememberFiles} from './remember-files.js';

/** What of a jar's manifest decides which classes a program has. */
export interface Manifest {
  /** The items of `Class-Path`, as written. */
  readonly classPath: readonly string[];
  /** It starts an agent. */
  readonly hasAgent: boolean;
}

/** A directory of jars is read at a launch at the cost of a few reads each, and from then on not at all. */
export const readManifest = (jar: string): Manifest | undefined => remembered(jar);

/*
 * A zip reader of our own: the libraries read with promises or the whole file, and a launch that asks wants three small
 * pieces of it at once.
 */
const endSize = 22;
const longestComment = 65_535;
const endMark = 0x06054b50;
const entryMark = 0x02014b50;
/** A manifest that is larger is no manifest, and a directory that is larger is not read at a launch. */
const largest = 1 << 20;
const largestDirectory = 16 << 20;

const remembered = rememberFiles((path): Manifest => {
  const file = openSync(path, 'r');
  try {
    return parseManifest(readEntry(file, 'META-INF/MANIFEST.MF')?.toString('utf8') ?? '');
  } finally {
    closeSync(file);
  }
});

const readAt = (file: number, at: number, length: number): Buffer => {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, at));
};

const readEntry = (file: number, wanted: string): Buffer | undefined => {
  const {size} = fstatSync(file);
  const tailSize = Math.min(size, endSize + longestComment);
  const tail = readAt(file, size - tailSize, tailSize);
  const end = lastIndexOf(tail, endMark);
  if (end === undefined) throw new Error('not a zip file');
  const [directorySize, directoryAt] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  // 0xffffffff says that the true number stands in a part of zip64; such jars are left alone.
  if (directorySize > largestDirectory || directoryAt === 0xffffffff) throw new Error('too large');
  const directory = readAt(file, directoryAt, directorySize);
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === entryMark; ) {
    const nameSize = directory.readUInt16LE(at + 28);
    const name = directory.toString('latin1', at + 46, at + 46 + nameSize);
    if (name.toUpperCase() === wanted) return contentOf(file, directory.subarray(at, at + 46));
    at += 46 + nameSize + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return undefined;
};

const lastIndexOf = (tail: Buffer, mark: number): number | undefined => {
  for (let at = tail.length - endSize; at >= 0; at -= 1) if (tail.readUInt32LE(at) === mark) return at;
  return undefined;
};

const contentOf = (file: number, entry: Buffer): Buffer => {
  const [method, packed, at] = [entry.readUInt16LE(10), entry.readUInt32LE(20), entry.readUInt32LE(42)];
  if (packed > largest) throw new Error('too large');
  const head = readAt(file, at, 30);
  const data = readAt(file, at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28), packed);
  return method === 0 ? data : inflateRawSync(data, {maxOutputLength: largest});
};

/** Lines of 72 bytes go on in the next one after a blank; only the part before the first empty line is about the jar. */
export const parseManifest = (text: string): Manifest => {
  const [main = ''] = text.replaceAll(/\r\n?/g, '\n').replaceAll('\n ', '').split('\n\n');
  const attribute = (name: string): string | undefined => new RegExp(`^${name}: *(.*)$`, 'im').exec(main)?.[1];
  return {
    classPath: (attribute('Class-Path') ?? '').split(/\s+/).filter((item) => item !== ''),
    hasAgent: attribute('Launcher-Agent-Class') !== undefined,
  };
};
