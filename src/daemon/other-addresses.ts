import {lstatSync, renameSync, rmSync, statSync, symlinkSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {readPlainFile} from '../system/soft-reads.js';

/** The ready file is one line. */
const fileLimit = 65_536;

/** Where the daemon that came up last for this state directory listens or did; undefined where nobody can tell. */
export const lastAddress = (state: string): string | undefined => {
  try {
    const ready = JSON.parse(readPlainFile(join(state, 'daemon.json'), fileLimit) ?? '') as {
      readonly socket?: unknown;
    } | null;
    return typeof ready?.socket === 'string' ? ready.socket : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Makes another address of the same state directory lead to the daemon. Which address a launch looks at goes by its
 * `XDG_RUNTIME_DIR`, which is set in a desktop's session and not under cron, `su` or some of ssh's: without this one of them
 * would never find the daemon that the other has started. Costs nobody anything where it cannot be done.
 */
export const leadTo = (address: string, socket: string): void => {
  if (address === socket) return;
  const temporary = join(dirname(address), `.${basename(address)}.${process.pid}.link`);
  try {
    if (!isPrivate(dirname(address)) || lstatSync(address, {throwIfNoEntry: false})?.isDirectory() === true) return;
    if (!statSync(socket).isSocket()) return;
    rmSync(temporary, {force: true});
    symlinkSync(socket, temporary);
    renameSync(temporary, address);
  } catch {
    rmSync(temporary, {force: true});
  }
};

const isPrivate = (directory: string): boolean => {
  const {uid, mode} = statSync(directory);
  return uid === process.geteuid?.() && (mode & 0o077) === 0;
};
