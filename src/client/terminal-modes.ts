import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {text as textOf} from 'node:stream/consumers';
import {isatty} from 'node:tty';

/** The terminal's modes when the launch began, as `stty -g` writes them, and where to put them back. */
export interface TerminalModes {
  readonly descriptor: number;
  readonly modes: string;
}

/** How long `stty` may take, in milliseconds; without an answer nothing is put back. */
const limit = 1000;

/** Asks `stty`, beside the planning: Node itself can neither read a terminal's modes nor set old ones. */
export const noteTerminalModes = async (): Promise<TerminalModes | undefined> => {
  const descriptor = [0, 1, 2].find((candidate) => isatty(candidate));
  if (descriptor === undefined) return undefined;
  const child = spawn('stty', ['-g'], {stdio: [descriptor, 'pipe', 'ignore'], timeout: limit});
  const [text, status] = await Promise.all([child.stdout === null ? '' : textOf(child.stdout), statusOf(child)]);
  const modes = text.trim();
  return status === 0 && modes !== '' ? {descriptor, modes} : undefined;
};

const statusOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });

/**
 * Puts the modes back before an end by a signal; on an exit Node does that by itself. Not where the terminal is somebody
 * else's now: a launch in the background leaves it alone.
 */
export const restoreTerminalModes = ({descriptor, modes}: TerminalModes): void => {
  if (!isForeground()) return;
  spawnSync('stty', [modes], {stdio: [descriptor, 'ignore', 'ignore'], timeout: limit});
};

/** Fields 5 and 8 of /proc/self/stat: our process group, and the terminal's. Elsewhere we believe that we are. */
const isForeground = (): boolean => {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] === fields[5];
  } catch {
    return true;
  }
};
