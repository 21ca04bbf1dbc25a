import {spawn} from 'node:child_process';
import {statSync, utimesSync} from 'node:fs';
import {join} from 'node:path';
import type {Directories} from '../config/directories.js';
import {done, type Failure, failed, type Result} from '../model/failure.js';
import {appendTo} from '../system/append-to.js';
import {builtFile} from '../system/installation.js';
import {lockScope} from '../system/process-lock.js';
import {readFailedStart} from './failed-start.js';

const daemonEntry = builtFile('daemon/main.js');

/** A daemon that was started this long ago or less, in milliseconds, is still coming up. */
const startPause = 5000;

/** After a failed start nobody tries again for this long, in milliseconds; `bootcut daemon start` tries at once. */
const failurePause = 60_000;

/** Node options of the daemon. A young generation of 1 MiB keeps 4 MB of memory (measured: 67 → 63 MB after 60 launches). */
const lean = ['--max-semi-space-size=1'];

/** What became of a start: `ready`, or `taken` when another daemon holds the place. */
export type Started = 'ready' | 'taken';

/**
 * Starts the daemon fully apart from us: session, group, descriptors, directory, environment. Returns when it says that it
 * listens, or why it does not. `replace` takes over from an idle older build.
 */
export const startDaemon = async (
  directories: Directories,
  options: {readonly replace?: boolean; readonly limit?: number} = {},
): Promise<Result<Started>> => {
  const child = spawnDaemon(directories, options.replace ?? false, true);
  if (child === undefined) return failed(noDirectory(directories));
  const pipe = child.stdio[3] as NodeJS.ReadableStream | null;
  const line = await new Promise<string>((resolve) => {
    let text = '';
    const timer = setTimeout(() => resolve('late'), options.limit ?? 10_000);
    pipe?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    pipe?.on('end', () => {
      clearTimeout(timer);
      resolve(text.trim());
    });
    child.once('error', (error) => resolve(`failed ${error.message}`));
  });
  child.unref();
  if (line === 'ready' || line === 'taken') return done(line);
  const detail =
    line === 'late' ? 'it did not say that it listens' : line.replace(/^failed /, '') || 'it ended at once';
  const log = directories.state === undefined ? undefined : join(directories.state, 'log', 'daemon.log');
  return failed({reason: 'daemon-did-not-start', detail, log});
};

/**
 * Starts the daemon for launches to come and waits for nothing. One starter at a time; nobody starts one that is coming
 * up, and a start that failed is not tried again for a minute.
 */
export const startDaemonBehind = async (directories: Directories, replace: boolean): Promise<void> => {
  const {state} = directories;
  if (state === undefined || directories.socket === undefined || restsAfterFailure(state)) return;
  try {
    const scope = lockScope(state);
    const lock = await scope.tryAcquire('daemon-start');
    if (lock === undefined) return;
    try {
      if (isComingUp(state)) return;
      stamp(state);
      spawnDaemon(directories, replace, false)?.unref();
    } finally {
      lock.release();
    }
  } catch {
    // no locks to be had: then nobody starts one, and launches do their steps themselves
  }
};

const spawnDaemon = (
  directories: Directories,
  replace: boolean,
  wait: boolean,
): ReturnType<typeof spawn> | undefined => {
  const {state, socket} = directories;
  if (state === undefined || socket === undefined) return undefined;
  const args = [...lean, daemonEntry, JSON.stringify(directories), ...(replace ? ['--replace'] : [])];
  const child = spawn(process.execPath, args, {
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', wait ? 'pipe' : 'ignore'],
  });
  child.on('error', () => undefined);
  return child;
};

const noDirectory = (directories: Directories): Failure => ({
  reason: 'no-state-directory',
  complaint: directories.complaint ?? 'no directory for our state could be had',
});

const stampPath = (state: string): string => join(state, 'daemon-start');

const isComingUp = (state: string): boolean => {
  const stat = statSync(stampPath(state), {throwIfNoEntry: false});
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < startPause;
};

const stamp = (state: string): void => {
  appendTo(stampPath(state), '');
  utimesSync(stampPath(state), new Date(), new Date());
};

const restsAfterFailure = (state: string): boolean => {
  const note = readFailedStart(state);
  return note !== undefined && Math.abs(Date.now() - note.at) < failurePause;
};
