import {constants} from 'node:os';
import type {TargetEnd} from './run-target.js';

/** Signals whose default is a core dump: ours would be of no use to anybody, so we only say the number. */
const dumping: readonly NodeJS.Signals[] = [
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGSYS',
  'SIGXCPU',
  'SIGXFSZ',
];

/**
 * Ends this process as the target ended: with its status, or by its signal (so that a shell stops its script as it would
 * have), or with 128 + n where the signal would only dump our own core.
 */
export const leaveAs = async (end: TargetEnd): Promise<never> => {
  if (end.ending !== 'killed') process.exit(end.code);
  const signal = Object.entries(constants.signals).find(([, number]) => number === end.code)?.[0] as
    | NodeJS.Signals
    | undefined;
  if (signal !== undefined && !dumping.includes(signal)) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The signal is handled between two turns of the loop; if it is blocked or ignored we go on to the number.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  process.exit(128 + end.code);
};
