import {lstatSync, mkdirSync, statfsSync} from 'node:fs';
import {join} from 'node:path';

/** `TMPFS_MAGIC` of Linux's magic.h: files there are in memory alone. */
const tmpfs = 0x01021994;

const isInMemory = (directory: string): boolean => {
  try {
    return statfsSync(directory).type === tmpfs;
  } catch {
    return false;
  }
};

/** Makes it where it is not there; is it ours alone then? */
const isOurs = (directory: string): boolean => {
  try {
    mkdirSync(directory, {recursive: true, mode: 0o700});
    const {uid, mode} = lstatSync(directory);
    return uid === process.geteuid?.() && (mode & 0o77) === 0;
  } catch {
    return false;
  }
};

/** Ours in the shared memory of the machine, which every Linux has. */
const sharedMemory = (): string => join('/dev/shm', `bootcut-${process.geteuid?.() ?? 0}`);

/**
 * A directory of the user's whose files never touch a disk: the one of our sockets, where that is in memory (XDG_RUNTIME_DIR),
 * else one in /dev/shm. Undefined where there is neither.
 */
export const memoryDirectory = (sockets: string): string | undefined => {
  if (isInMemory(sockets)) return sockets;
  return isInMemory('/dev/shm') && isOurs(sharedMemory()) ? sharedMemory() : undefined;
};
