import {lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/* Each program has a directory of its own, so that it can be removed alone; a file `NAME.made` beside it says that it is filled. */

export const cachePath = (directory: string, key: string): string => join(directory, key);
const markPath = (directory: string, key: string): string => `${cachePath(directory, key)}.made`;

export const isDirectory = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isDirectory() === true;

/** Has a launch of this program filled its cache? Then when it did, as a name for this filling. */
export const filledAt = (directory: string, key: string): string | undefined => {
  try {
    const made = readFileSync(markPath(directory, key), 'utf8');
    return /^\d+$/.test(made) && isDirectory(cachePath(directory, key)) ? made : undefined;
  } catch {
    return undefined;
  }
};

/** Bytes of all files below a directory; 0 for none. */
export const sizeOf = (directory: string): number => {
  try {
    return readdirSync(directory, {withFileTypes: true})
      .map((entry) => join(directory, entry.name))
      .reduce((sum, path) => sum + (lstatSync(path).isDirectory() ? sizeOf(path) : lstatSync(path).size), 0);
  } catch {
    return 0;
  }
};

export const markFilled = (directory: string, key: string): void => {
  mkdirSync(directory, {recursive: true, mode: 0o700});
  writeFileSync(markPath(directory, key), String(Date.now()), {mode: 0o600});
};

/** How exactly it is known when a cache was used last, milliseconds. */
const accuracy = 3_600_000;

/** For the order in which caches are removed. False where that has been noted a short while ago. */
export const noteUse = (directory: string, key: string): boolean => {
  const path = markPath(directory, key);
  if (Math.abs(Date.now() - usedAt(path)) < accuracy) return false;
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // It is not filled yet, or has been removed.
  }
  return true;
};

export const removeCache = (directory: string, key: string): void => {
  for (const path of [markPath(directory, key), cachePath(directory, key)])
    rmSync(path, {recursive: true, force: true});
};

/** All caches together, and one of them: a program that is built anew each minute leaves its old parts behind. */
export const limits = {programs: 64, bytes: 512 * 2 ** 20, bytesOfOne: 128 * 2 ** 20};

/** Removes, beyond the limits, what has not been used for longest; never `kept`. */
export const sweepCaches = (directory: string, kept: string, {programs, bytes} = limits): void => {
  const caches = readdirSync(directory, {withFileTypes: true})
    .filter((entry) => entry.isDirectory())
    .map(({name: key}) => ({key, size: sizeOf(cachePath(directory, key)), usedAt: usedAt(markPath(directory, key))}))
    .sort((a, b) => Number(b.key === kept) - Number(a.key === kept) || b.usedAt - a.usedAt);
  let [count, sum] = [0, 0];
  for (const {key, size} of caches) {
    if (key !== kept && (count >= programs || sum + size > bytes)) removeCache(directory, key);
    else [count, sum] = [count + 1, sum + size];
  }
};

const usedAt = (path: string): number => statSync(path, {throwIfNoEntry: false})?.mtimeMs ?? 0;
