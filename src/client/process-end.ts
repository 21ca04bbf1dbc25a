import {connect} from 'node:net';
import {processState} from '../system/process-state.js';
import type {DaemonProcess} from './daemon-process.js';

/** How often a process is looked at whose end nothing announces, in milliseconds. */
const lookInterval = 20;

const isAlive = ({pid, began}: DaemonProcess): boolean => {
  if (began !== undefined) return processState(pid)?.began === began;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Sends a signal, unless the process has ended. */
export const signalProcess = (target: DaemonProcess, signal: NodeJS.Signals): void => {
  try {
    if (isAlive(target)) process.kill(target.pid, signal);
  } catch {
    // ended between the look and the signal
  }
};

/** Tells of the daemon's end. Open it before the end is asked for. */
export interface EndWatch {
  /** Have all of them ended, within the limit in milliseconds? */
  readonly ended: (targets: readonly DaemonProcess[], limit: number) => Promise<boolean>;
  readonly close: () => void;
}

/**
 * Holds a connection to the address: the kernel breaks it at the moment the listening process is gone, whatever state that
 * process was in. Only a process that breaks it earlier by itself has to be looked at again and again.
 */
export const watchEnd = (path: string): EndWatch => {
  const socket = connect(path);
  let isOpen = true;
  socket.on('error', () => undefined).resume();
  const broken = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false;
      resolve();
    });
  });
  return {
    ended: async (targets, limit) => {
      const deadline = performance.now() + limit;
      for (;;) {
        if (!targets.some(isAlive) && (targets.length > 0 || !isOpen)) return true;
        const left = deadline - performance.now();
        if (left <= 0) return false;
        await (isOpen ? withLimit(broken, left) : withLimit(undefined, Math.min(left, lookInterval)));
      }
    },
    close: () => socket.destroy(),
  };
};

/** Waits for an event, or for nothing at all, at most this long. */
const withLimit = async (event: Promise<void> | undefined, milliseconds: number): Promise<void> => {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void event?.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
};
