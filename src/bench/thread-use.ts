import type {ThreadUse} from './report.js';
import type {BenchResult, ThreadWindow} from './result.js';
import {median} from './statistics.js';

/** Busiest threads that are shown of a window. */
const shown = 5;

/** Processor time of each variant's threads between milestones, in the median over its runs; empty without `--threads`. */
export const threadUseOf = ({variants, runs}: BenchResult): readonly ThreadUse[] => {
  const counted = runs.filter(({state, round}) => state === 'ok' && round > 0);
  return variants.flatMap(({name}) => {
    const windows = counted.filter((run) => run.variant === name).flatMap((run) => run.windows ?? []);
    const byWay = new Map<string, ThreadWindow[]>();
    for (const window of windows) {
      const way = `${window.from}\t${window.to}`;
      byWay.set(way, [...(byWay.get(way) ?? []), window]);
    }
    return [...byWay.values()].flatMap((same) => useOf(name, same) ?? []);
  });
};

const useOf = (variant: string, windows: readonly ThreadWindow[]): ThreadUse | undefined => {
  const [first] = windows;
  if (first === undefined) return undefined;
  const middle = (values: readonly number[]): number => median(values) ?? 0;
  const names = [...new Set(windows.flatMap(({threads}) => threads.map(({name}) => name)))];
  const threads = names
    .map((name) => ({
      name,
      // A thread that a window does not name used nothing in it.
      ms: middle(windows.map((window) => window.threads.find((thread) => thread.name === name)?.ms ?? 0)),
    }))
    .filter(({ms}) => ms > 0)
    .sort((one, other) => other.ms - one.ms);
  return {
    variant,
    from: first.from,
    to: first.to,
    n: windows.length,
    ms: middle(windows.map(({ms}) => ms)),
    share: middle(windows.map(({share}) => share)),
    threads: threads.slice(0, shown),
  };
};
