import type {ChildProcess} from 'node:child_process';
import type {ProcessTree} from '../readiness/process-tree.js';

/** Between two looks whether all have ended, in milliseconds: the system tells us only of our own child. */
const lookMs = 5;

/** Longest wait for processes that were killed, in milliseconds; one in an uninterruptible state is left to itself. */
const killedLimit = 2000;

/** Ends a target that we started in a process group of its own, with everything it has started. */
export const endTree = async (child: ChildProcess, tree: ProcessTree, graceMs: number): Promise<void> => {
  const left = (): readonly number[] => tree.members().filter((pid) => pid > 1 && pid !== process.pid);
  signalAll(child, left(), 'SIGTERM');
  if (await allEnded(left, graceMs)) return;
  signalAll(child, left(), 'SIGKILL');
  await allEnded(left, killedLimit);
};

const signalAll = (child: ChildProcess, members: readonly number[], signal: NodeJS.Signals): void => {
  if (child.pid !== undefined && child.pid > 1 && child.exitCode === null && child.signalCode === null) {
    send(-child.pid, signal); // the group that our child leads
  }
  for (const pid of members) send(pid, signal);
};

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // ended meanwhile
  }
};

const allEnded = async (left: () => readonly number[], limitMs: number): Promise<boolean> => {
  const deadline = performance.now() + limitMs;
  while (left().length > 0) {
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return true;
};
