import {closeSync, constants, openSync, writeSync} from 'node:fs';

/**
 * Appends to a file of ours in one write, which other writers do not tear; makes it with mode 0600. Throws the file system's
 * error, also where a link stands in its place, or a pipe that would hold us until somebody read it.
 */
export const appendTo = (path: string, data: string | Uint8Array): void => {
  const {O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK} = constants;
  const descriptor = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    writeSync(descriptor, typeof data === 'string' ? Buffer.from(data) : data);
  } finally {
    closeSync(descriptor);
  }
};
