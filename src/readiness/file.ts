import {resolve as resolvePath} from 'node:path';
import {systemClock} from '../system/clock.js';
import {changedAt, type FileState, fileState, isSame, onFileChange} from './file-changes.js';
import {told} from './poll.js';
import type {Met, Watch} from './watch.js';

/** A file that appears or changes after the start and has something in it. The directory's watch tells us. */
export const watchFile = (
  path: string,
  options: {readonly old: boolean; readonly empty: boolean},
  cwd: string,
): Watch => {
  const full = resolvePath(cwd, path);
  const before = fileState(full);
  let now: FileState | undefined = before;
  const counts = (state: FileState | undefined): state is FileState => {
    if (state === undefined || (isSame(state, before) && !options.old)) return false;
    return options.empty || state.isDirectory || state.size > 0n;
  };
  return {
    until: (target, signal) =>
      new Promise<Met>((resolve) => {
        let lastNo = target.startedAt;
        const look = (): boolean => {
          const began = systemClock.now();
          now = fileState(full);
          if (!counts(now)) {
            lastNo = began;
            return false;
          }
          const at = systemClock.now();
          const reused = isSame(now, before);
          // Files carry wall time: where that clock was set meanwhile, the look before is what bounds the slack.
          const late = Math.min(Math.max(0, at - changedAt(now)), at - lastNo);
          resolve({
            at,
            slack: told(reused ? 0 : late),
            detail: reused ? `${full}, which was there before the start` : full,
          });
          return true;
        };
        onFileChange(full, look, signal);
      }),
    seen: () => {
      if (now === undefined) return `${full} does not exist`;
      if (isSame(now, before)) return `${full} was there before the start and has not changed since`;
      return `${full} is empty`;
    },
  };
};
