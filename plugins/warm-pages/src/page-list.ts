import {accessSync, type BigIntStats, constants, renameSync, statSync, writeFileSync} from 'node:fs';
import {blockSize, type TouchedFile} from './mapped-files.js';

/** A list as it is kept: entries of text, each closed by a zero; `native/read-ahead.c` reads it. */
export interface PageList {
  readonly text: string;
  readonly files: number;
  /** What it names, in bytes. */
  readonly bytes: number;
}

/** Names what was seen, as it is on disk now, as long as it is no more than so many bytes. */
export const pageList = (seen: readonly TouchedFile[], budget: number): PageList => {
  const entries: string[] = [];
  let [files, bytes] = [0, 0];
  for (const {path, blocks} of seen) {
    const stat = readable(path);
    if (stat === undefined) continue;
    const size = Number(stat.size);
    const ranges = rangesOf(blocks)
      .map(({from, to}) => ({from, to: Math.min(to, size)}))
      .filter(({from, to}) => to > from);
    const length = ranges.reduce((sum, {from, to}) => sum + to - from, 0);
    if (length === 0 || bytes + length > budget) continue;
    entries.push(...ranges.map(({from, to}) => `${from} ${to - from} ${stat.size} ${stat.mtimeNs} ${path}\0`));
    files += 1;
    bytes += length;
  }
  return {text: entries.join(''), files, bytes};
};

/** Only what the user may read anyway is named anywhere. */
const readable = (path: string): BigIntStats | undefined => {
  try {
    accessSync(path, constants.R_OK);
    const stat = statSync(path, {bigint: true});
    return stat.isFile() ? stat : undefined;
  } catch {
    return undefined;
  }
};

/** Neighbouring blocks as one range of bytes; `blocks` in order. */
const rangesOf = (blocks: readonly number[]): readonly {readonly from: number; readonly to: number}[] => {
  const ranges: {from: number; to: number}[] = [];
  for (const block of blocks) {
    const last = ranges.at(-1);
    if (last?.to === block * blockSize) last.to += blockSize;
    else ranges.push({from: block * blockSize, to: (block + 1) * blockSize});
  }
  return ranges;
};

/** Whoever reads it at this moment has the old one or the new one. */
export const writeList = (path: string, list: PageList): void => {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, list.text, {mode: 0o600});
  renameSync(temporary, path);
};
