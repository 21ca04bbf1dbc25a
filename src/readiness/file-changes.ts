import {type FSWatcher, statSync, watch} from 'node:fs';
import {basename, dirname} from 'node:path';
import type {Moment} from '../model/units.js';
import {systemClock} from '../system/clock.js';

/** How often a file is looked at all the same: its directory may not exist yet, or be on a network where nobody is told. */
export const fileGapMs = 100;

/** What tells one state of a file from another: time stamps alone may lie. */
export interface FileState {
  readonly inode: bigint;
  readonly size: bigint;
  readonly changedNs: bigint;
  readonly modifiedNs: bigint;
  readonly isDirectory: boolean;
}

export const fileState = (path: string): FileState | undefined => {
  try {
    const stat = statSync(path, {bigint: true});
    return {
      inode: stat.ino,
      size: stat.size,
      changedNs: stat.ctimeNs,
      modifiedNs: stat.mtimeNs,
      isDirectory: stat.isDirectory(),
    };
  } catch {
    return undefined;
  }
};

export const isSame = (one: FileState | undefined, other: FileState | undefined): boolean =>
  one?.inode === other?.inode && one?.size === other?.size && one?.changedNs === other?.changedNs;

/**
 * Calls `look` at every change in a file's directory, and every 100 ms besides, until it returns true or the signal
 * comes. A symbolic link's target lies elsewhere; there only the second finds it.
 */
export const onFileChange = (path: string, look: () => boolean, signal: AbortSignal): void => {
  let watcher: FSWatcher | undefined;
  const stop = (): void => {
    watcher?.close();
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
  };
  const check = (): void => {
    if (!signal.aborted && look()) stop();
  };
  const open = (): void => {
    try {
      watcher = watch(dirname(path), {persistent: false}, (_event, name) => {
        if (name === null || name === basename(path)) check();
      });
      watcher.on('error', () => undefined);
    } catch {
      // no such directory yet
    }
  };
  open();
  const timer = setInterval(() => {
    if (watcher === undefined) open();
    check();
  }, fileGapMs);
  timer.unref();
  signal.addEventListener('abort', stop, {once: true});
  check();
};

/** When a file's inode last changed, on our clock. The kernel stamps with its tick: up to 4 ms before the truth. */
export const changedAt = (state: FileState): Moment => {
  const now = systemClock.now();
  const age = Date.now() - Number(state.changedNs / 1_000n) / 1_000;
  return Math.min(now, now - Math.max(0, age)) as Moment;
};
