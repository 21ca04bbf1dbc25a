import {readdirSync, readFileSync} from 'node:fs';

/** Processor time of one thread so far, in milliseconds. */
export interface ThreadCpu {
  /** `pid/tid`: threads have no other identity. */
  readonly key: string;
  /** The name the kernel has: 15 bytes that the program chose. */
  readonly name: string;
  readonly ms: number;
}

/** Processor time of every living thread of some processes; what a thread used that has ended is gone. Linux only. */
export const threadCpu = (pids: readonly number[]): readonly ThreadCpu[] =>
  pids.flatMap((pid) =>
    names(`/proc/${pid}/task`).flatMap((tid): readonly ThreadCpu[] => {
      const ms = processorTime(pid, tid);
      const name = text(`/proc/${pid}/task/${tid}/comm`)?.trim();
      return ms === undefined || name === undefined ? [] : [{key: `${pid}/${tid}`, name, ms}];
    }),
  );

/** Nanoseconds from `schedstat` where the kernel has it, else ticks of 10 ms from `stat`. */
const processorTime = (pid: number, tid: string): number | undefined => {
  const nanoseconds = Number(text(`/proc/${pid}/task/${tid}/schedstat`)?.split(' ')[0]);
  if (Number.isFinite(nanoseconds)) return nanoseconds / 1e6;
  const fields = text(`/proc/${pid}/task/${tid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * 10;
};

/** What threads of one name used between two samples, the busiest first; those that used nothing are left out. */
export const usedBetween = (
  before: readonly ThreadCpu[],
  after: readonly ThreadCpu[],
): readonly {readonly name: string; readonly ms: number}[] => {
  const earlier = new Map(before.map(({key, ms}) => [key, ms]));
  const used = new Map<string, number>();
  for (const {key, name, ms} of after)
    used.set(name, (used.get(name) ?? 0) + Math.max(0, ms - (earlier.get(key) ?? 0)));
  return [...used]
    .map(([name, ms]) => ({name, ms}))
    .filter(({ms}) => ms > 0)
    .sort((a, b) => b.ms - a.ms);
};

const names = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

const text = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
