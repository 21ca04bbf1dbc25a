import type {Directories} from '../config/directories.js';
import {done, failed, type Result} from '../model/failure.js';
import {askDaemon} from '../protocol/ask.js';
import {type DaemonProcess, findDaemonProcesses} from './daemon-process.js';
import {type EndWatch, signalProcess, watchEnd} from './process-end.js';

/** How the daemon ended; `pid` where the system told whose address it was. */
export interface Stopped {
  /** `asked`: it left by itself. `terminated`, `killed`: it had to be told by signal. */
  readonly how: 'not-running' | 'asked' | 'terminated' | 'killed';
  readonly pid: number | null;
}

/** After it has said that it stops, it ends its plugins' threads and what they started; milliseconds. */
const leaveLimit = 5000;

/** What a process may take after each signal, in milliseconds. */
const signalLimit = 2000;

/**
 * Stops whatever daemon of this user holds the address: asks it first; if that leads to nothing, ends the process that the
 * kernel names as the owner. Returns when it has ended. Without `force` a daemon that follows launches is left alone.
 */
export const stopDaemon = async (directories: Directories, force: boolean): Promise<Result<Stopped>> => {
  const {socket, state, complaint} = directories;
  if (socket === undefined) return failed({reason: 'no-state-directory', complaint: complaint ?? ''});
  const targets = await findDaemonProcesses(socket, state);
  const pid = targets[0]?.pid ?? null;
  const watch = watchEnd(socket);
  try {
    const reply = await askDaemon(socket, {kind: 'stop', force});
    if (reply.ok && (await watch.ended(targets, leaveLimit))) return done({how: 'asked', pid});
    if (!reply.ok && reply.failure.reason === 'daemon-busy') return reply;
    if (targets.length > 0) return await endBySignal(targets, watch);
    if (!reply.ok && reply.failure.reason === 'daemon-not-running') return done({how: 'not-running', pid: null});
    return failed({reason: 'daemon-of-others', socket});
  } finally {
    watch.close();
  }
};

const endBySignal = async (targets: readonly DaemonProcess[], watch: EndWatch): Promise<Result<Stopped>> => {
  const pid = targets[0]?.pid ?? 0;
  for (const [signal, how] of [
    ['SIGTERM', 'terminated'],
    ['SIGKILL', 'killed'],
  ] as const) {
    for (const target of targets) {
      signalProcess(target, signal);
      signalProcess(target, 'SIGCONT'); // a stopped process would keep the first signal waiting
    }
    if (await watch.ended(targets, signalLimit)) return done({how, pid});
  }
  return failed({reason: 'daemon-did-not-stop', pid});
};
