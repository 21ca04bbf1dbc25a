import {bootstrapInterval, type IntervalOf} from './bootstrap.js';
import {contrasts, difference, type PairedRound, scaleOf} from './paired.js';
import {seededRandom} from './random.js';
import {fewestRounds, leastProbability, type Row, randomizationTest} from './randomization-test.js';

export type Verdict = 'faster' | 'slower' | 'no difference shown' | 'not enough data';

/**
 * How often in a hundred a bench of two equal variants may say that they differ. Not the customary five: then an A/A run
 * would say 'no difference' in 95 of 100 repetitions only on average, and in every third hundred more often wrong.
 */
export const level = 0.01;

/** A variant against its base at one milestone. */
export interface Comparison {
  readonly milestone: string;
  /** Rounds in which both have a value. */
  readonly n: number;
  /** Milliseconds; below zero is faster. Null without a round. */
  readonly difference: number | null;
  readonly interval: IntervalOf | null;
  /** Part of the base, 0.05 for 5 % slower. Null where it makes no sense (values of zero). */
  readonly share: number | null;
  readonly shareInterval: IntervalOf | null;
  readonly p: number | null;
  readonly verdict: Verdict;
  /** Where there is not enough data, the fewest rounds with both that can give a verdict; null otherwise. */
  readonly needed: number | null;
}

/** At what probability a variant counts as different where this many are set against the base: Bonferroni. */
const levelOf = (comparisons: number): number => level / Math.max(1, comparisons);

/** The fewest rounds that can give a verdict where this many variants are set against the base. */
export const roundsNeeded = (comparisons: number): number | null => fewestRounds(levelOf(comparisons)) ?? null;

/** The rounds of one milestone; undefined where one of the two has no value. */
export interface PairedMilestone {
  readonly milestone: string;
  readonly rounds: readonly (PairedRound | undefined)[];
}

/**
 * Judges a variant against its base. The first milestone is the endpoint and is tested by itself; the others are tested
 * together, so that twenty of them are not twenty chances for a false alarm. `comparisons` is how many variants are set
 * against the base: the level is divided among them (Bonferroni: simple, and nearly Holm for the few there are).
 */
export const judge = (
  milestones: readonly PairedMilestone[],
  comparisons: number,
  seed: number,
): readonly Comparison[] => {
  const [endpoint, ...others] = milestones;
  if (endpoint === undefined) return [];
  return [...judgeTogether([endpoint], comparisons, seed), ...judgeTogether(others, comparisons, seed)];
};

const judgeTogether = (
  milestones: readonly PairedMilestone[],
  comparisons: number,
  seed: number,
): readonly Comparison[] => {
  // A round that nobody finished tells nothing about any of them.
  const length = milestones[0]?.rounds.length ?? 0;
  const told = Array.from({length}, (_, round) => round).filter((round) =>
    milestones.some(({rounds}) => rounds[round] !== undefined),
  );
  const rows = milestones.map(({rounds}) => rowOf(told.map((round) => rounds[round])));
  const {pTogether} = randomizationTest(rows, seededRandom(seed));
  const wanted = levelOf(comparisons);
  return milestones.map(({milestone, rounds}, index) => {
    const present = rounds.filter((round) => round !== undefined);
    const p = pTogether[index] ?? 1;
    const estimate = estimated(present, seed);
    const enough = leastProbability(present.map(({variantFirst}) => !variantFirst)) <= wanted;
    return {
      milestone,
      n: present.length,
      ...estimate,
      p: enough ? p : null,
      verdict: verdictOf(enough, p <= wanted, estimate),
      needed: enough ? null : roundsNeeded(comparisons),
    };
  });
};

const rowOf = (rounds: readonly (PairedRound | undefined)[]): Row => {
  const scale = scaleOf(rounds.filter((round) => round !== undefined));
  return rounds.map((round) => (round === undefined ? undefined : contrasts([round], scale)[0]));
};

type Estimate = Pick<Comparison, 'difference' | 'interval' | 'share' | 'shareInterval'>;

const estimated = (rounds: readonly PairedRound[], seed: number): Estimate => {
  const inShares = scaleOf(rounds) === 'log' && rounds.length > 0;
  const asShare = (value: number): number => Math.exp(value) - 1;
  const logs = inShares ? difference(contrasts(rounds, 'log')) : null;
  const logInterval = inShares ? bootstrapInterval(rounds, 'log', seededRandom(seed)) : null;
  return {
    difference: difference(contrasts(rounds, 'ms')),
    interval: bootstrapInterval(rounds, 'ms', seededRandom(seed)),
    share: logs === null ? null : asShare(logs),
    shareInterval: logInterval === null ? null : {low: asShare(logInterval.low), high: asShare(logInterval.high)},
  };
};

const verdictOf = (enough: boolean, significant: boolean, estimate: Estimate): Verdict => {
  if (!enough) return 'not enough data';
  const change = estimate.share ?? estimate.difference ?? 0;
  if (!significant || change === 0) return 'no difference shown';
  return change < 0 ? 'faster' : 'slower';
};
