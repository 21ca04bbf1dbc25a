import {closeSync, openSync, readSync} from 'node:fs';
import {resolve as resolvePath} from 'node:path';
import {systemClock} from '../system/clock.js';
import {fileState, onFileChange} from './file-changes.js';
import {LineFeed, matchesLine} from './line-feed.js';
import {told} from './poll.js';
import type {Met, Watch} from './watch.js';

/** Read at a time; a log that grows by 100 MB is read in this many bytes of memory. */
const chunkSize = 65_536;

/**
 * A line that is added to a log file after the start: what the file held before does not count, unless asked for. A file
 * that is cut, renamed and made anew, or made late is read from its beginning.
 */
export const watchLogFile = (path: string, pattern: RegExp, old: boolean, cwd: string): Watch => {
  const full = resolvePath(cwd, path);
  const before = fileState(full);
  let inode = before?.inode;
  let offset = old ? 0 : Number(before?.size ?? 0);
  let feed = new LineFeed();
  let seen = '';
  return {
    until: (_target, signal) =>
      new Promise<Met>((resolve) => {
        const listen = (): void => {
          feed.on((line, isWhole) => {
            seen = line;
            if (!found && matchesLine(pattern, line, isWhole)) {
              found = true;
              const at = systemClock.now();
              resolve({at, slack: told(), detail: `${full}: ${line.slice(0, 200)}`});
            }
          });
        };
        let found = false;
        listen();
        const look = (): boolean => {
          const state = fileState(full);
          if (state === undefined) return false;
          if (state.inode !== inode || Number(state.size) < offset) {
            [inode, offset, feed] = [state.inode, 0, new LineFeed()];
            listen();
          }
          offset = readFrom(full, offset, (chunk) => {
            feed.push(chunk);
            return !found;
          });
          return found;
        };
        onFileChange(full, look, signal);
      }),
    seen: () => {
      if (fileState(full) === undefined) return `${full} does not exist`;
      return seen === '' ? `nothing was added to ${full}` : `${full} said last: ${seen.slice(-200)}`;
    },
  };
};

const readFrom = (path: string, from: number, use: (chunk: Buffer) => boolean): number => {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return from; // gone again
  }
  try {
    const buffer = Buffer.alloc(chunkSize);
    for (let offset = from; ; ) {
      const length = readSync(descriptor, buffer, 0, chunkSize, offset);
      offset += length;
      if (length === 0 || !use(buffer.subarray(0, length))) return offset;
    }
  } catch {
    return from; // a directory, or a disk that fails
  } finally {
    closeSync(descriptor);
  }
};
