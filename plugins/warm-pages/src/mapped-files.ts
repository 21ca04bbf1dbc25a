import {closeSync, openSync, readSync} from 'node:fs';
import {read} from './process-tree.js';

/** Pages in pieces of this many bytes: as much as the kernel maps around a page that is missed. */
export const blockSize = 65_536;

/** What x86-64 has, and arm64 in all distributions but a few; there the wrong blocks would be read, and nothing else. */
const pageSize = 4096;
const pagesPerBlock = blockSize / pageSize;

/** Longest mapping that is looked at, in bytes: 64 pieces of a file of 1 GiB are not a start. */
const longest = 1 << 30;

/** Blocks of one file by number, in which a process has pages. */
export interface TouchedFile {
  readonly path: string;
  readonly blocks: readonly number[];
}

/** A line of /proc/PID/maps with a file behind it. */
interface Mapping {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
  readonly path: string;
}

/** `55e8a000-55e8b000 r--p 00002000 fe:00 1234   /usr/bin/x`. Deleted files have no name that could be opened. */
const line = /^([0-9a-f]+)-([0-9a-f]+) \S{4} ([0-9a-f]+) \S+ ([1-9]\d*) +(\/.*)$/;

export const parseMaps = (text: string): readonly Mapping[] =>
  text.split('\n').flatMap((entry) => {
    const [, from = '', to = '', offset = '', , path = ''] = line.exec(entry) ?? [];
    if (path === '' || path.endsWith(' (deleted)')) return [];
    const mapping = {from: hex(from), to: hex(to), offset: hex(offset), path};
    return mapping.to - mapping.from > longest ? [] : [mapping];
  });

const hex = (text: string): number => Number.parseInt(text, 16);

/** What a process has in memory of the files that it maps, in the order of its list. */
export const mappedFiles = (pid: number): readonly TouchedFile[] => {
  const mappings = parseMaps(read(`/proc/${pid}/maps`));
  const pagemap = open(`/proc/${pid}/pagemap`);
  if (pagemap === undefined) return [];
  try {
    const files = new Map<string, Set<number>>();
    for (const mapping of mappings) {
      const blocks = files.get(mapping.path) ?? new Set();
      files.set(mapping.path, blocks);
      for (const block of presentBlocks(pagemap, mapping)) blocks.add(block);
    }
    return [...files].map(([path, blocks]) => ({path, blocks: [...blocks]}));
  } finally {
    closeSync(pagemap);
  }
};

const open = (path: string): number | undefined => {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
};

/** Eight bytes for each page; the highest bit says that it is in memory (Linux's pagemap.rst). */
const presentBlocks = (pagemap: number, {from, to, offset}: Mapping): readonly number[] => {
  const count = (to - from) / pageSize;
  const entries = Buffer.alloc(count * 8);
  try {
    const length = readSync(pagemap, entries, 0, entries.length, (from / pageSize) * 8);
    const first = offset / pageSize;
    const blocks: number[] = [];
    for (let page = 0; page < length / 8; page += 1) {
      if ((entries[page * 8 + 7] ?? 0) < 0x80) continue;
      const block = Math.floor((first + page) / pagesPerBlock);
      if (blocks.at(-1) !== block) blocks.push(block);
    }
    return blocks;
  } catch {
    return []; // the process ended, or this is no address of a program (vsyscall)
  }
};
