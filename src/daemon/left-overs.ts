import {readdirSync, statSync, unlinkSync} from 'node:fs';
import {join} from 'node:path';

/** Milestones of a launch whose daemon was killed are of no use to anybody after this long, in milliseconds. */
const timelineAge = 24 * 3_600_000;

/** Sockets of single launches and standbys carry the number of the process that made them. */
const socketName = /^(?:standby|values)-(\d+)-/;

/** Removes what a daemon that was killed hard could not: sockets that nobody listens at, milestones that nobody reads. */
export const removeLeftOvers = (socketDirectory: string, state: string): void => {
  removeWhere(socketDirectory, (name) => {
    const pid = Number(socketName.exec(name)?.[1] ?? Number.NaN);
    return pid > 1 && !isRunning(pid);
  });
  removeWhere(state, (name, path) => name.startsWith('timeline-') && Date.now() - statSync(path).mtimeMs > timelineAge);
};

const removeWhere = (directory: string, matches: (name: string, path: string) => boolean): void => {
  try {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (matches(name, path)) unlinkSync(path);
    }
  } catch {
    // no such directory, or another daemon was quicker
  }
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
