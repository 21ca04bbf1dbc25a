import {cpus} from 'node:os';
import type {Moment} from '../model/units.js';
import type {ProcessTree} from '../readiness/process-tree.js';
import {readText} from '../system/soft-reads.js';
import {type ThreadCpu, threadCpu, usedBetween} from '../timeline/thread-cpu.js';
import type {ThreadWindow} from './result.js';

/** Busiest threads that are kept of a window. */
const keptThreads = 12;

/** Between two samples in passing, in milliseconds: a thread that lives shorter than this between milestones is lost. */
const passingMs = 50;

interface Sample {
  readonly name: string;
  readonly at: Moment;
  readonly threads: readonly ThreadCpu[];
}

/** Samples the processor time of a target's threads at its milestones, and keeps the last value of those that end. */
export class ThreadSampler {
  readonly #tree: ProcessTree;
  readonly #latest = new Map<string, ThreadCpu>();
  readonly #samples: Sample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(tree: ProcessTree, startedAt: Moment) {
    this.#tree = tree;
    this.#samples.push({name: 'start', at: startedAt, threads: []});
    this.#timer = setInterval(() => this.#look(), passingMs);
    this.#timer.unref();
  }

  milestone(name: string, at: Moment): void {
    this.#look();
    this.#samples.push({name, at, threads: [...this.#latest.values()]});
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  windows(): readonly ThreadWindow[] {
    const cores = Math.max(1, cpus().length);
    return this.#samples.slice(1).flatMap((sample, index): readonly ThreadWindow[] => {
      const before = this.#samples[index];
      if (before === undefined || sample.at <= before.at) return [];
      const threads = usedBetween(before.threads, sample.threads);
      const ms = threads.reduce((sum, thread) => sum + thread.ms, 0);
      return [
        {
          from: before.name,
          to: sample.name,
          ms,
          share: ms / ((sample.at - before.at) * cores),
          threads: threads.slice(0, keptThreads),
        },
      ];
    });
  }

  #look(): void {
    for (const thread of threadCpu(this.#tree.members())) this.#latest.set(thread.key, thread);
  }
}

/** Resident memory of a process tree, in KiB; shared pages count in each process. Null where the system does not say. */
export const memoryOf = (tree: ProcessTree): number | null => {
  const sizes = tree
    .members()
    .map((pid) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1] ?? Number.NaN))
    .filter(Number.isFinite);
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
};
