import {statSync, watch} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Directories} from '../config/directories.js';
import {done, type FailedStart, type Failure, failed, type Result} from '../model/failure.js';
import {askDaemon} from '../protocol/ask.js';
import type {DaemonStatus} from '../protocol/asks.js';
import {compareBuilds} from '../protocol/greeting.js';
import {buildId} from '../system/build-id.js';
import {readFailedStart} from './failed-start.js';
import {startDaemon} from './start-daemon.js';

/** A daemon that answers, and how it came to be there. */
export interface RunningDaemon {
  /** `kept`: it is of another build, but newer, or busy following launches. */
  readonly came: 'started' | 'replaced' | 'was-running' | 'kept';
  readonly status: DaemonStatus;
}

/** How long another starter's daemon may take to come up, in milliseconds. */
const othersLimit = 10_000;

/** Sees to it that a daemon of this build runs: starts one, or takes over from an idle older one. Returns when it answers. */
export const ensureDaemon = async (directories: Directories): Promise<Result<RunningDaemon>> => {
  const {socket} = directories;
  if (socket === undefined) return failed({reason: 'no-state-directory', complaint: directories.complaint ?? ''});
  const there = await askDaemon(socket, {kind: 'status'});
  if (there.ok && !isOlder(there.value)) return done({came: came(there.value), status: there.value});
  const replace = there.ok || isOlder(daemonOf(there.failure));
  if (!there.ok && !replace && there.failure.reason !== 'daemon-not-running') return there;
  const started = await startDaemon(directories, {replace});
  if (!started.ok) return started;
  const status = await statusSoon(socket);
  if (!status.ok) return status;
  if (started.value === 'ready') return done({came: replace ? 'replaced' : 'started', status: status.value});
  return done({came: came(status.value), status: status.value});
};

const isOlder = (daemon: {readonly build: string} | undefined): boolean =>
  daemon !== undefined && compareBuilds(daemon.build, buildId) < 0;

/** One that greets but answers in an older way than we understand has still said which build it is. */
const daemonOf = (failure: Failure): {readonly build: string} | undefined =>
  failure.reason === 'daemon-unreachable' ? failure.daemon : undefined;

const came = ({build}: DaemonStatus): 'was-running' | 'kept' => (build === buildId ? 'was-running' : 'kept');

/** Whoever holds the place may still be coming up: the directory tells when its socket is there. */
const statusSoon = async (socket: string): Promise<Result<DaemonStatus>> => {
  const signal = AbortSignal.timeout(othersLimit);
  for (;;) {
    const changed = nextChange(dirname(socket), signal);
    const status = await askDaemon(socket, {kind: 'status'});
    const isAbsent = !status.ok && status.failure.reason === 'daemon-not-running';
    if (!isAbsent || signal.aborted) {
      changed.cancel();
      return status;
    }
    await changed.done;
  }
};

/** The next event in a directory, or the abort. Watches from the call on, so that nothing in between is missed. */
const nextChange = (
  directory: string,
  signal: AbortSignal,
): {readonly done: Promise<void>; readonly cancel: () => void} => {
  let cancel = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    const watcher = watch(directory);
    cancel = () => {
      watcher.close();
      signal.removeEventListener('abort', cancel);
      resolve();
    };
    watcher.on('change', cancel).on('error', cancel);
    signal.addEventListener('abort', cancel);
  });
  return {done, cancel};
};

/** Why the last start failed, if none has succeeded since. */
export const lastFailedStart = (state: string | undefined): FailedStart | undefined => {
  if (state === undefined) return undefined;
  try {
    const note = readFailedStart(state);
    if (note === undefined) return undefined;
    const readyAt = statSync(join(state, 'daemon.json'), {throwIfNoEntry: false})?.mtimeMs ?? 0;
    return readyAt > note.at ? undefined : note;
  } catch {
    return undefined; // none, or not readable: nothing is known
  }
};
