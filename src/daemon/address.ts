import {chmodSync, type FSWatcher, renameSync, rmSync, statSync, watch} from 'node:fs';
import type {Server} from 'node:net';
import {basename, dirname, join} from 'node:path';

/** A socket path that this process owns until it says otherwise. */
export interface Address {
  /** Does the path still name our socket? */
  readonly isOurs: () => boolean;
  /** Removes the path if it still names our socket. */
  readonly leave: () => void;
}

/**
 * Listens, then announces: binds a temporary name and renames it into place once the kernel accepts connections, so that
 * whoever finds the path finds a listener. A file or a dangling link in the way is replaced; a directory is not, that
 * throws. `onLost` is told (by the file system, not by looking) when the path stops naming our socket.
 */
export const announce = async (server: Server, path: string, onLost: () => void): Promise<Address> => {
  const temporary = temporarySocket(path, process.pid);
  rmSync(temporary, {force: true});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({path: temporary, backlog: 511}, () => {
      server.off('error', reject);
      resolve();
    });
  });
  chmodSync(temporary, 0o600);
  const inode = inodeOf(temporary);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, {force: true});
    throw error;
  }
  const isOurs = (): boolean => inodeOf(path) === inode;
  const watcher = watchDirectory(path, () => {
    if (!isOurs()) onLost();
  });
  return {
    isOurs,
    leave: () => {
      watcher?.close();
      if (isOurs()) rmSync(path, {force: true});
    },
  };
};

/** The name a socket is bound under before it is announced; `/proc/net/unix` goes on showing it. */
export const temporarySocket = (path: string, pid: number): string => join(dirname(path), `.${basename(path)}.${pid}`);

const inodeOf = (path: string): bigint | undefined => {
  try {
    return statSync(path, {bigint: true, throwIfNoEntry: false})?.ino;
  } catch {
    return undefined;
  }
};

const watchDirectory = (path: string, look: () => void): FSWatcher | undefined => {
  try {
    const watcher = watch(dirname(path), {persistent: false}, look);
    watcher.on('error', look);
    return watcher;
  } catch {
    return undefined; // no watches left: the address is still checked at every launch
  }
};
