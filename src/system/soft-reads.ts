import {readdirSync, readFileSync, readlinkSync} from 'node:fs';

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
