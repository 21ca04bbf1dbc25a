import {readText} from './soft-reads.js';

/** A process that has not ended, as `/proc/PID/stat` has it. */
export interface ProcessState {
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since the boot: a number that is used again is another process. */
  readonly began: string;
}

/** Fields of `stat` behind the name, which may hold anything: `man 5 proc` counts them from 3. */
const field = {state: 0, parent: 1, session: 3, threads: 17, began: 19};

/**
 * What a process is like; undefined when it has ended: it is gone, or only its entry is left. A process whose first thread
 * is a zombie while others still end is not over: everything that it had open is open yet. Linux only.
 */
export const processState = (pid: number): ProcessState | undefined => {
  const fields = readText(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  const state = fields?.[field.state];
  if (fields === undefined || state === undefined || state === 'X') return undefined;
  if (state === 'Z' && Number(fields[field.threads]) < 2) return undefined;
  return {
    parent: Number(fields[field.parent]),
    session: Number(fields[field.session]),
    began: fields[field.began] ?? '',
  };
};
