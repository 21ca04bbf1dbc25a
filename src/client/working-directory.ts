import {openSync} from 'node:fs';

/** Where the caller is. */
export interface WorkingDirectory {
  readonly path: string;
  /** For `spawn`, when the directory cannot be named any more. */
  readonly spawnIn: string | undefined;
}

/**
 * The caller's directory, which may have been deleted: a shell still starts programs there, so we do. Node's threads cannot
 * start in such a place, so we hold it by a descriptor, step out, and have the target step in again by that descriptor.
 */
export const workingDirectory = (): WorkingDirectory => {
  try {
    return {path: process.cwd(), spawnIn: undefined};
  } catch {
    return deletedDirectory();
  }
};

const deletedDirectory = (): WorkingDirectory => {
  const path = process.env['PWD'] ?? '/';
  try {
    const descriptor = openSync('.', 'r');
    process.chdir('/');
    return {path, spawnIn: `/proc/self/fd/${descriptor}`};
  } catch {
    return {path, spawnIn: undefined};
  }
};
