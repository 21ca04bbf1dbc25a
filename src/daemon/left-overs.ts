import {readdirSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {memoryDirectory} from '../launch/memory-directory.js';
import {isRunning} from '../system/is-running.js';

/** Milestones of a launch whose daemon was killed are of no use to anybody after this long, in milliseconds. */
const timelineAge = 24 * 3_600_000;

/** Sockets and directories of single launches and standbys carry the number of the process that made them. */
const ownedName = /^(?:first-use|first-use-files|standby|values)-(\d+)-/;

/** Removes what a daemon that was killed hard could not: sockets that nobody listens at, triggers of launches that
 * are over, milestones that nobody reads. */
export const removeLeftOvers = (socketDirectory: string, state: string): void => {
  for (const directory of new Set([socketDirectory, memoryDirectory(socketDirectory) ?? socketDirectory])) {
    removeWhere(directory, isOrphan);
  }
  removeWhere(
    state,
    (name, path) =>
      isOrphan(name) || (name.startsWith('timeline-') && Date.now() - statSync(path).mtimeMs > timelineAge),
  );
};

/** Its process is gone. */
const isOrphan = (name: string): boolean => {
  const pid = Number(ownedName.exec(name)?.[1] ?? Number.NaN);
  return pid > 1 && !isRunning(pid);
};

const removeWhere = (directory: string, matches: (name: string, path: string) => boolean): void => {
  try {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (matches(name, path)) rmSync(path, {recursive: true, force: true});
    }
  } catch {
    // no such directory, or another daemon was quicker
  }
};
