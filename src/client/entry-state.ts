import {fstatSync, readFileSync} from 'node:fs';
import {isatty} from 'node:tty';
import type {StdioKind} from '../model/launch.js';
import type {Moment} from '../model/units.js';

/** The variable in which `bin/bootcut` and the launcher tell what only they could see; never reaches the target. */
export const entryVariable = 'BOOTCUT_ENTRY';

/** In front of the names of variables that are for the target's Node and must not reach ours; `bin/bootcut` has the list. */
const keptPrefix = 'BOOTCUT_KEPT_';

/** What our process was started with, byte for byte, as far as the system lets a Node process see it. */
export interface EntryState {
  /** Arguments after the script. */
  readonly argv: readonly Buffer[];
  /** `NAME=value` items. */
  readonly env: readonly Buffer[];
  /** Signals that were ignored at the start, by number: a target inherits that. */
  readonly ignoredSignals: readonly number[];
  /** Descriptors 3 and up that were open. */
  readonly descriptors: readonly number[];
  /** Which of 0, 1 and 2 were closed (Node opens the null device in their place). */
  readonly closed: readonly number[];
  /** When the command was exec'ed, where the launcher was there before us and knows. */
  readonly execAt: Moment | undefined;
  /** Why the daemon is not to be asked: the launcher has waited for it already. */
  readonly without: string | undefined;
}

/** Reads the state at entry. `args` are the arguments as Node decoded them, to know how many there are. */
export const readEntryState = (args: readonly string[]): EntryState => {
  const note = process.env[entryVariable];
  const rawArgs = zeroSeparated('/proc/self/cmdline');
  const rawEnv = zeroSeparated('/proc/self/environ');
  const env = rawEnv ?? Object.entries(process.env).map(([name, value]) => Buffer.from(`${name}=${value ?? ''}`));
  const open = list(note, 'fds');
  const nanoseconds = /exec:(\d+)/.exec(note ?? '')?.[1];
  return {
    argv: rawArgs === undefined ? args.map((arg) => Buffer.from(arg)) : rawArgs.slice(rawArgs.length - args.length),
    env: env.filter((item) => !startsWith(item, `${entryVariable}=`)).map(putBack),
    ignoredSignals: ignoredSignals(/ign:([0-9a-f]+)/.exec(note ?? '')?.[1]),
    descriptors: (open ?? []).filter((descriptor) => descriptor > 2),
    closed: open === undefined ? [] : [0, 1, 2].filter((descriptor) => !open.includes(descriptor)),
    execAt: nanoseconds === undefined ? undefined : ((Number(nanoseconds) / 1e6) as Moment),
    without: /without:([a-z-]+)/.exec(note ?? '')?.[1],
  };
};

const startsWith = (item: Buffer, text: string): boolean => item.toString('latin1', 0, text.length) === text;

const putBack = (item: Buffer): Buffer => (startsWith(item, keptPrefix) ? item.subarray(keptPrefix.length) : item);

const zeroSeparated = (path: string): readonly Buffer[] | undefined => {
  try {
    const bytes = readFileSync(path);
    const items: Buffer[] = [];
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(0, start);
      items.push(bytes.subarray(start, end < 0 ? bytes.length : end));
      start = end < 0 ? bytes.length : end + 1;
    }
    return items;
  } catch {
    return undefined; // not Linux: what Node decoded will do
  }
};

const list = (note: string | undefined, name: string): readonly number[] | undefined => {
  const text = new RegExp(`${name}:([0-9,]*)`).exec(note ?? '')?.[1];
  return text === undefined
    ? undefined
    : text
        .split(',')
        .filter((item) => item !== '')
        .map(Number);
};

const ignoredSignals = (mask: string | undefined): readonly number[] => {
  if (mask === undefined) return [];
  const bits = BigInt(`0x${mask}`);
  return Array.from({length: 31}, (_, index) => index + 1).filter(
    (number) => ((bits >> BigInt(number - 1)) & 1n) === 1n,
  );
};

/** What a descriptor is. */
export const stdioKind = (descriptor: number, closed: readonly number[]): StdioKind => {
  if (closed.includes(descriptor)) return 'closed';
  if (isatty(descriptor)) return 'tty';
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFIFO()) return 'pipe';
    if (stat.isSocket()) return 'socket';
    return stat.isFile() ? 'file' : 'device';
  } catch {
    return 'closed';
  }
};

/** stdout and stderr lead to one place, so that the order of their bytes means something. */
export const isMergedOutput = (): boolean => {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.dev === err.dev && out.ino === err.ino && out.rdev === err.rdev;
  } catch {
    return false;
  }
};
