import {randomBytes} from 'node:crypto';
import {closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';

export interface AtomicWriteOptions {
  /** Permission bits, whatever the umask. Default 0600. */
  readonly mode?: number;
  /** Wait until the bytes are on disk before the name shows them. Default true. */
  readonly sync?: boolean;
}

/**
 * Replaces a file whole or not at all: unique temporary name beside it (no-follow, exclusive), then rename. Readers see
 * the old text or the new one. Throws the file system's error, with nothing left behind.
 */
export const atomicWrite = (path: string, data: string | Uint8Array, options: AtomicWriteOptions = {}): void => {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(temporary, flags, options.mode ?? 0o600);
  try {
    try {
      fchmodSync(descriptor, options.mode ?? 0o600);
      writeAll(descriptor, typeof data === 'string' ? Buffer.from(data) : data);
      if (options.sync ?? true) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, {force: true});
    throw error;
  }
};

const writeAll = (descriptor: number, data: Uint8Array): void => {
  for (let offset = 0; offset < data.length; ) offset += writeSync(descriptor, data, offset);
};
