import {readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';

/* For what may be gone at any moment: other processes' files below /proc, files of the user's. */

export const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

export const readNames = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

export const readLink = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

/** A file of ours that anybody may have replaced: a pipe in its place would hold us, a huge file would fill memory. */
export const readPlainFile = (path: string, limit: number): string | undefined => {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= limit ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
};
