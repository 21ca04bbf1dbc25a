import {processState} from './process-state.js';

/** Does a process of this number run? One that has ended and that its parent has not taken notice of does not. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return processState(pid) !== undefined || processState(process.pid) === undefined; // no /proc: then it does
};
