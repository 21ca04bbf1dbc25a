import {execFile} from 'node:child_process';
import {statSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {lockAddress} from '../system/process-lock.js';
import {processState} from '../system/process-state.js';
import {readLink, readNames, readText} from '../system/soft-reads.js';

/** A process by its number and the moment it began, so that a number used again is not taken for it. */
export interface DaemonProcess {
  readonly pid: number;
  /** Clock ticks since the boot, as the kernel has it; undefined where there is no `/proc`. */
  readonly began: string | undefined;
}

/**
 * The processes of this user that hold the daemon's address or its lock, by what the kernel says of open sockets: a pid in
 * a file proves nothing. Empty when there is none, or none that we may see.
 */
export const findDaemonProcesses = async (
  socket: string,
  state: string | undefined,
): Promise<readonly DaemonProcess[]> => {
  const table = readText('/proc/net/unix');
  const pids = table === undefined ? await askLsof(socket) : ownersOf(listeners(table, socket, state), socket);
  return pids.filter((pid) => pid !== process.pid).map((pid) => ({pid, began: processState(pid)?.began}));
};

interface Listener {
  readonly inode: string;
  /** A name in the file system; the lock's name is none. */
  readonly isPath: boolean;
}

/** Listening sockets (state 01, flag of `listen`) that bear one of the daemon's names. */
const listeners = (table: string, socket: string, state: string | undefined): readonly Listener[] => {
  const lock = state === undefined ? undefined : `@${lockAddress(state, 'daemon')}`;
  return table.split('\n').flatMap((line): readonly Listener[] => {
    const [, , , flags, , status, inode = '', ...words] = line.split(/ +/);
    if (flags !== '00010000' || status !== '01') return [];
    const name = words.join(' ');
    if (isNameOf(socket, name)) return [{inode, isPath: true}];
    return lock !== undefined && name.replace(/@+$/, '') === lock ? [{inode, isPath: false}] : [];
  });
};

/** The address itself, or a name under which it was bound before it was renamed into place. */
const isNameOf = (socket: string, name: string): boolean => {
  const temporary = join(dirname(socket), `.${basename(socket)}.`);
  return name === socket || (name.startsWith(temporary) && /^\d+$/.test(name.slice(temporary.length)));
};

const ownersOf = (sockets: readonly Listener[], path: string): readonly number[] => {
  if (sockets.length === 0) return [];
  const links = new Map(sockets.map((listener) => [`socket:[${listener.inode}]`, listener]));
  return readNames('/proc')
    .filter((name) => /^\d+$/.test(name) && isOurs(name))
    .flatMap((name) => {
      const held = readNames(`/proc/${name}/fd`).flatMap((fd) => links.get(readLink(`/proc/${name}/fd/${fd}`)) ?? []);
      return held.some((listener) => !listener.isPath || seesSamePath(name, path)) ? [Number(name)] : [];
    });
};

const isOurs = (pid: string): boolean => {
  try {
    return statSync(`/proc/${pid}`).uid === process.geteuid?.();
  } catch {
    return false; // ended meanwhile
  }
};

/** A container that shares our network names may have the same path for another file. */
const seesSamePath = (pid: string, path: string): boolean => {
  try {
    const [theirs, ours] = [statSync(`/proc/${pid}/root${path}`), statSync(path)];
    return theirs.dev === ours.dev && theirs.ino === ours.ino;
  } catch {
    return false;
  }
};

/** Where there is no `/proc`: whoever has a Unix socket of that name open. Tried with Linux's lsof only. */
const askLsof = async (socket: string): Promise<readonly number[]> => {
  try {
    const {stdout} = await promisify(execFile)('lsof', ['-a', '-U', '-u', String(process.geteuid?.()), '-F', 'pn']);
    const pids = new Set<number>();
    let pid = 0;
    for (const line of stdout.split('\n')) {
      if (line.startsWith('p')) pid = Number(line.slice(1));
      else if (line.startsWith('n') && isNameOf(socket, line.slice(1).split(' ')[0] ?? '')) pids.add(pid);
    }
    return [...pids];
  } catch {
    return [];
  }
};
