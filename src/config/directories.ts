import {accessSync, chmodSync, constants, lstatSync, mkdirSync, realpathSync, type Stats, statSync} from 'node:fs';
import {userInfo} from 'node:os';
import {dirname, isAbsolute, join} from 'node:path';
import {nameHash} from './name-hash.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where one user's bootcut keeps things. */
export interface Directories {
  /** Records, log, run files. Undefined when no directory could be had: then nothing is kept and no daemon runs. */
  readonly state: string | undefined;
  /** Stored answers. */
  readonly cache: string | undefined;
  /** `config.json`; not made by looking. */
  readonly config: string;
  /** Installed plugins, by oclif's rule; not made by looking. */
  readonly data: string;
  /** The daemon's address; undefined without a state directory. */
  readonly socket: string | undefined;
  /** One line about the first directory that had to be passed over, and why. */
  readonly complaint: string | undefined;
  /** Such a line for every one. */
  readonly complaints: readonly string[];
  /** Those about where records and answers are kept: whoever reads them there misses what is elsewhere. */
  readonly misplaced: readonly string[];
}

interface Candidate {
  readonly path: string;
  /** Must exist already: we never make somebody's home. */
  readonly base: string;
  /** How a person knows it: the variable that names it. */
  readonly origin: string;
}

/** Bytes of a socket path that the kernel takes, less the closing zero (Linux 108, macOS 104). */
const socketPathLimit = (process.platform === 'darwin' ? 104 : 108) - 1;

/** Longest thing that is put before and behind a socket's name while it is made: `.`, pid of 7 digits, `.tmp`. */
const temporarySocketExtra = 13;

const uid = (): number => process.geteuid?.() ?? 0;

/** Finds, checks and makes the directories for an environment. Reads nothing else; throws nothing. */
export const findDirectories = (env: Environment): Directories => {
  const complaints: string[] = [];
  const choose = (candidates: readonly Candidate[]): string | undefined => {
    for (const candidate of candidates) {
      const fault = faultOf(candidate);
      if (fault === undefined) return realpathSync(candidate.path);
      complaints.push(`${candidate.origin} (${candidate.path}) is passed over: ${fault}`);
    }
    return undefined;
  };
  const state = choose(candidates(env, 'STATE', '.local/state'));
  const cache = choose(candidates(env, 'CACHE', '.cache'));
  const misplaced = [...new Set(complaints)];
  const socket = state === undefined ? undefined : socketPath(env, state, complaints);
  return {
    state,
    cache,
    config: plainDirectory(env, 'CONFIG', '.config'),
    data: plainDirectory(env, 'DATA', '.local/share'),
    socket,
    complaint: complaints[0],
    complaints: [...new Set(complaints)],
    misplaced,
  };
};

const homes = (env: Environment): readonly string[] => {
  const given = env['HOME'];
  const fromSystem = ((): string | undefined => {
    try {
      return userInfo().homedir;
    } catch {
      return undefined; // a user id without an account, as in many containers
    }
  })();
  return [given, fromSystem].filter((home): home is string => home !== undefined && isAbsolute(home));
};

const candidates = (env: Environment, kind: 'STATE' | 'CACHE', below: string): readonly Candidate[] => {
  const own = env[`BOOTCUT_${kind}_DIR`];
  const xdg = env[`XDG_${kind}_HOME`];
  const temporary = join('/tmp', `bootcut-${uid()}`);
  return [
    ...(own !== undefined && own !== '' ? [{path: own, base: dirname(own), origin: `BOOTCUT_${kind}_DIR`}] : []),
    ...(xdg !== undefined && xdg !== '' ? [{path: join(xdg, 'bootcut'), base: '/', origin: `XDG_${kind}_HOME`}] : []),
    ...homes(env).map((home) => ({path: join(home, below, 'bootcut'), base: home, origin: 'HOME'})),
    {path: join(temporary, kind.toLowerCase()), base: '/tmp', origin: 'the temporary directory'},
  ];
};

const plainDirectory = (env: Environment, kind: string, below: string): string => {
  const own = env[`BOOTCUT_${kind}_DIR`];
  if (own !== undefined && isAbsolute(own)) return own;
  const xdg = env[`XDG_${kind}_HOME`];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'bootcut');
  return join(homes(env)[0] ?? '/nonexistent', below, 'bootcut');
};

/** Why a directory cannot be ours, or undefined when it exists now, is private and writable. */
const faultOf = ({path, base}: Candidate): string | undefined => {
  try {
    if (!isAbsolute(path)) return 'it is not an absolute path';
    if (statSync(base, {throwIfNoEntry: false}) === undefined) return `${base} does not exist`;
    const near = nearestExisting(path);
    if ((near.mode & 0o1002) === 0o002) return 'others can write to it';
    // Root in a user's home would leave files there that the user cannot replace.
    if (uid() === 0 && near.uid !== 0) return `it belongs to user ${near.uid}, and we run as root`;
    // In /tmp the directory in between must be ours as well, or its owner could swap what lies below.
    const between = dirname(path);
    if (base === '/tmp') {
      makeDirectory(between);
      const fault = lstatSync(between).isSymbolicLink() ? 'it is a link' : privateFault(between);
      if (fault !== undefined) return fault;
    }
    makeDirectory(path);
    return privateFault(path);
  } catch (error) {
    return reasonText(error);
  }
};

/**
 * Makes a directory with those above it that are missing, with mode 0700 whatever the umask. Not `recursive`, with which
 * Node 20 says of a read-only file system that there is no such file.
 */
const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path);
    chmodSync(path, 0o700);
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return; // what is there is looked at next
    if (code !== 'ENOENT' || statSync(dirname(path), {throwIfNoEntry: false}) !== undefined) throw error;
    makeDirectory(dirname(path));
    if (statSync(dirname(path), {throwIfNoEntry: false}) === undefined) throw error;
    makeDirectory(path);
  }
};

/** A directory of ours with loose permissions is tightened; anybody else's is refused. */
const privateFault = (path: string): string | undefined => {
  const stat = statSync(path);
  if (!stat.isDirectory()) return 'it is not a directory';
  if (stat.uid !== uid()) return `it belongs to user ${stat.uid}`;
  if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
  accessSync(path, constants.W_OK | constants.X_OK);
  return undefined;
};

const reasonText = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException).code;
  const texts: Readonly<Record<string, string>> = {
    EACCES: 'we may not write there',
    EROFS: 'it is on a read-only file system',
    ENOENT: 'part of it does not exist',
    ENOTDIR: 'part of it is not a directory',
    EEXIST: 'it is not a directory',
    ENOSPC: 'the disk is full',
  };
  return texts[code ?? ''] ?? `it cannot be used (${code ?? String(error)})`;
};

const nearestExisting = (path: string): Stats => {
  const stat = statSync(path, {throwIfNoEntry: false});
  return stat ?? nearestExisting(dirname(path));
};

const socketPath = (env: Environment, state: string, complaints: string[]): string | undefined => {
  const name = `${nameHash(state)}.sock`;
  const runtime = runtimeDirectory(env, complaints);
  const short = join('/tmp', `bootcut-${uid()}`);
  const places = [
    ...(runtime === undefined ? [] : [{path: join(runtime, 'bootcut'), base: runtime, origin: 'XDG_RUNTIME_DIR'}]),
    {path: join(state, 'run'), base: state, origin: 'the state directory'},
    {path: join(short, 'run'), base: '/tmp', origin: 'the temporary directory'},
  ];
  for (const place of places) {
    const path = join(place.path, name);
    if (Buffer.byteLength(path) + temporarySocketExtra > socketPathLimit) continue;
    if (faultOf(place) === undefined) return path;
  }
  return undefined;
};

/** `XDG_RUNTIME_DIR` only when it is ours and nobody else can write there. */
const runtimeDirectory = (env: Environment, complaints: string[]): string | undefined => {
  const path = env['XDG_RUNTIME_DIR'];
  if (path === undefined || path === '') return undefined;
  const fault = ((): string | undefined => {
    try {
      if (!isAbsolute(path)) return 'it is not an absolute path';
      const stat = statSync(path);
      if (!stat.isDirectory()) return 'it is not a directory';
      if (stat.uid !== uid()) return `it belongs to user ${stat.uid}`;
      if ((stat.mode & 0o022) !== 0) return 'others can write to it';
      accessSync(path, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : reasonText(error);
    }
  })();
  if (fault === undefined) return path;
  complaints.push(`XDG_RUNTIME_DIR (${path}) is passed over: ${fault}`);
  return undefined;
};
