import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';

/**
 * Makes a directory with those above it; one that is there is fine. Throws the file system's error. Node 20's own
 * `recursive` never returns where a directory is there and nothing can be made in it, as in `/proc`.
 */
export const makeDirectory = (path: string): void => {
  if (statSync(path, {throwIfNoEntry: false})?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above);
  mkdirSync(path);
};
