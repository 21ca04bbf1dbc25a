import {closeSync, constants, open, openSync, statSync} from 'node:fs';
import {connect, createServer, type Server, type Socket} from 'node:net';
import {join} from 'node:path';
import {digest} from './digest.js';

/** A lock that this process holds; the system drops it with the process, however the process ends. */
export interface ProcessLock {
  readonly release: () => void;
}

/** Locks of one directory: two directories never share a lock, two spellings of one directory always do. */
export interface LockScope {
  /** Takes the lock, or says undefined at once when another living process has it. */
  readonly tryAcquire: (name: string) => Promise<ProcessLock | undefined>;
  /** Resolves when the present holder lets go or dies, or the signal aborts. Nobody polls: the system tells. */
  readonly released: (name: string, signal: AbortSignal) => Promise<void>;
}

/** `directory` must exist: its device and inode name the scope. */
export const lockScope = (directory: string): LockScope =>
  process.platform === 'linux' ? abstractSocketScope(directory) : exclusiveOpenScope(directory);

/** The abstract socket that is a lock on Linux, without its leading zero byte; `/proc/net/unix` shows it behind an `@`. */
export const lockAddress = (directory: string, name: string): string => {
  const {dev, ino} = statSync(directory, {bigint: true});
  return `bootcut/${digest(`${dev}:${ino}:${process.getuid?.() ?? 0}`, 24)}/${name}`;
};

/**
 * Linux: listening on an abstract socket is the lock. The kernel frees the name with the process, and whoever waits
 * holds a connection that breaks at that moment.
 */
const abstractSocketScope = (directory: string): LockScope => {
  const prefix = `\0${lockAddress(directory, '')}`;
  const address = (name: string): string => `${prefix}${name}`;
  return {
    tryAcquire: (name) =>
      new Promise((resolve, reject) => {
        const waiting = new Set<Socket>();
        const server: Server = createServer((socket) => {
          waiting.add(socket.unref().on('error', () => undefined));
          socket.once('close', () => waiting.delete(socket));
          socket.resume();
        });
        server.once('error', (error: NodeJS.ErrnoException) =>
          error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
        );
        server.listen(address(name), () => {
          server.unref();
          resolve({
            release: () => {
              server.close();
              for (const socket of waiting) socket.destroy();
            },
          });
        });
      }),
    released: (name, signal) =>
      new Promise((resolve) => {
        const socket = connect(address(name));
        const done = (): void => {
          signal.removeEventListener('abort', done);
          socket.destroy();
          resolve();
        };
        socket.on('error', done).on('close', done).resume();
        if (signal.aborted) done();
        else signal.addEventListener('abort', done, {once: true});
      }),
  };
};

/** `O_EXLOCK` of macOS and the BSDs, which Node does not name: open and lock in one call. */
const openExclusiveLock = 0x20;

/** macOS: an open file with a kernel lock. Waiting is an open that blocks in the thread pool. Not tried here. */
const exclusiveOpenScope = (directory: string): LockScope => {
  const path = (name: string): string => join(directory, `${digest(name, 24)}.lock`);
  const flags = constants.O_RDWR | constants.O_CREAT | openExclusiveLock;
  return {
    tryAcquire: async (name) => {
      try {
        const descriptor = openSync(path(name), flags | constants.O_NONBLOCK, 0o600);
        return {release: () => closeSync(descriptor)};
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === 'EAGAIN' || code === 'EWOULDBLOCK') return undefined;
        throw error;
      }
    },
    released: (name, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), {once: true});
        open(path(name), flags, 0o600, (error, descriptor) => {
          if (error === null) closeSync(descriptor);
          resolve();
        });
      }),
  };
};
