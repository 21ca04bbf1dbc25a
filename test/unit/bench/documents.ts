import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {WrittenPlan} from '../../../src/bench/written-plan.js';
import {replaying, tell, valuesOf} from './benched.js';

/*
 * Comparisons of the three documents as benches of scripted targets, which really take the documents' times: they sleep.
 * `scale` makes all of it shorter (0.1: a tenth); `npm run bench replay` runs them at full length. Where a document gives a
 * median and a range, the single values are ours, within the range and with the median.
 */

/** Milliseconds of a document as what `sleep` takes. */
const sleeps = (scale: number, ...milliseconds: readonly number[]): readonly string[] =>
  milliseconds.map((ms) => ((ms * scale) / 1000).toFixed(4));

const eachAlone = (scale: number, values: readonly number[]): readonly (readonly string[])[] =>
  values.map((value) => sleeps(scale, value));

/** Amethyst, account loaded: 1751 (1663 to 1836) against 1418 (1357 to 1459), in milliseconds. */
export const accountBefore = [1663, 1836, 1751, 1720, 1790, 1751, 1700, 1810];
export const accountAfter = [1459, 1357, 1418, 1400, 1440, 1418, 1380, 1430];

export const accountLoaded = (scale: number): WrittenPlan => {
  const script = `sleep $1; ${tell('account loaded')}; sleep 60`;
  return {
    variants: [
      {name: 'before', command: replaying(script, eachAlone(scale, accountBefore))},
      {name: 'after', command: replaying(script, eachAlone(scale, accountAfter))},
    ],
    rounds: 8,
    endpoint: 'account loaded',
  };
};

/** Amethyst, main against AppCDS: first frame 3474 → 952, relays connected 2044 → 1517, settled 5631 → 3377. */
export const appCds = (scale: number): WrittenPlan => {
  const n = 12;
  const steps = (...names: readonly string[]): string =>
    `${names.map((name, index) => `sleep $${index + 1}; ${tell(name)}`).join('; ')}; sleep 60`;
  const runs = (...moments: readonly number[]): readonly (readonly string[])[] =>
    valuesOf(1, 0.02, n).map((factor) =>
      sleeps(scale, ...moments.map((moment, index) => (moment - (moments[index - 1] ?? 0)) * factor)),
    );
  return {
    variants: [
      {
        name: 'main',
        command: replaying(steps('relays connected', 'first frame', 'settled'), runs(2044, 3474, 5631)),
      },
      {
        name: 'AppCDS',
        command: replaying(steps('first frame', 'relays connected', 'settled'), runs(952, 1517, 3377)),
      },
    ],
    rounds: n,
    endpoint: 'settled',
  };
};

/** Amethyst, tried and dropped: settled after 4201 against 4212 ms. */
export const triedAndDropped = (scale: number): WrittenPlan => {
  const n = 12;
  const script = `sleep $1; ${tell('settled')}; sleep 60`;
  return {
    variants: [
      {name: 'with', command: replaying(script, eachAlone(scale, valuesOf(4201, 120, n)))},
      {name: 'without', command: replaying(script, eachAlone(scale, valuesOf(4212, 120, n).toReversed()))},
    ],
    rounds: n,
    endpoint: 'settled',
  };
};

/**
 * Amethyst, logged-in shell visible by a look from outside: 8837 → 4483 in the median, and in two of eight boots at 7318 and
 * 8433 where the program's own mark said 4.4 and 5.9 s. That the mark is 0.1 s early otherwise is ours.
 */
export const shellVisible = (scale: number): WrittenPlan => {
  const shown = join(mkdtempSync(join(tmpdir(), 'bootcut-shown-')), 'shell');
  const script = `sleep $1; ${tell('visible')}; sleep $2; echo $n >${shown}; sleep 60`;
  const usual = (outside: number): readonly string[] => sleeps(scale, outside - 100, 100);
  const before = [8700, 8847, 8920, 8760, 8827, 9000, 8800, 8880].map(usual);
  const odd = [sleeps(scale, 4400, 7318 - 4400), sleeps(scale, 5900, 8433 - 5900)];
  const [first = [], second = []] = odd;
  const after = [...[4390, 4530, 4460].map(usual), first, ...[4496, 4420].map(usual), second, usual(4470)];
  return {
    variants: [
      {name: 'before', command: replaying(script, before)},
      {name: 'after', command: replaying(script, after)},
    ],
    rounds: 8,
    until: [`visible=file:${shown}`],
  };
};

/** agent-vm, create by kernel: mean and standard deviation in milliseconds (V15). */
export const kernelTable = {
  stock: [1488, 100],
  '+KVM': [1587, 150],
  'legacy netfilter': [1677, 30],
  full: [1680, 30],
  'deferred init': [1632, 30],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

/** Rounds of the kernel table. */
export const kernelRounds = 12;

/** The kernels' values, each in an order of its own: nothing but the kernel is common to the runs of a round. */
export const kernelValues = (): readonly (readonly [name: string, values: readonly number[]])[] =>
  Object.entries(kernelTable).map(([name, [mean, sd]], index) => {
    const values = valuesOf(mean, sd, kernelRounds);
    return [name, [...values.slice(index), ...values.slice(0, index)]];
  });

export const kernels = (scale: number): WrittenPlan => {
  return {
    variants: kernelValues().map(([name, values]) => ({
      name,
      command: replaying('exec sleep $1', eachAlone(scale, values)),
    })),
    rounds: kernelRounds,
    base: 'stock',
  };
};

/**
 * Chimera, healthy after 1.55 s, 0.53 of it between bound and healthy (34 %), two imports of 15 % each and a poll of 8 %
 * among the rest; 0.02 s between the two after the fix. How the rest divides is ours.
 */
export const boundToHealthy = (scale: number): WrittenPlan => {
  const names = ['tools imported', 'server imported', 'settings read', 'polled', 'bound', 'healthy'];
  const script = `${names.map((name, index) => `sleep $${index + 1}; ${tell(name)}`).join('; ')}; sleep 60`;
  const runs = (gaps: readonly number[]): readonly (readonly string[])[] =>
    [542, 509, 536, 532, 523].map((_, index) => sleeps(scale, 232, 232, 226, 124, 206, gaps[index] ?? 0));
  return {
    variants: [
      {name: 'before', command: replaying(script, runs([542, 509, 536, 532, 523]))},
      {name: 'after', command: replaying(script, runs([27, 15, 28, 19, 24]))},
    ],
    rounds: 5,
    endpoint: 'healthy',
  };
};
