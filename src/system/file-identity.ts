import {lstatSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';

/** What {@link fileIdentity} says of a path where nothing can be found. */
export const absentIdentity = 'absent';

/** Entries of a directory that are looked at; a configuration directory holds a handful. */
const directoryLimit = 64;

/**
 * What a file is right now, without reading it: device, inode, size and both time stamps in nanoseconds (a restored
 * mtime still moves the ctime). Links are followed, so that an edited target shows. One `stat`, about 10 µs.
 */
export const fileIdentity = (path: string): string => {
  const stat = statSync(path, {bigint: true, throwIfNoEntry: false});
  return stat === undefined ? absentIdentity : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
};

/** {@link fileIdentity} that never throws: unreadable counts as its own state. */
export const safeFileIdentity = (path: string): string => {
  try {
    return fileIdentity(path);
  } catch (error) {
    return `unreadable:${(error as NodeJS.ErrnoException).code ?? 'unknown'}`;
  }
};

/** The identities of a directory's plain files (not below), by name: a tool's configuration directory as one value. */
export const directoryIdentity = (path: string): string => {
  try {
    const names = readdirSync(path).sort().slice(0, directoryLimit);
    return names
      .filter((name) => !lstatSync(join(path, name), {throwIfNoEntry: false})?.isDirectory())
      .map((name) => `${name}=${safeFileIdentity(join(path, name))}`)
      .join('\n');
  } catch {
    return absentIdentity;
  }
};
