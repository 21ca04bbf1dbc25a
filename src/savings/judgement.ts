import {bootstrapInterval} from '../bench/bootstrap.js';
import {contrasts, difference, type PairedRound, scaleOf} from '../bench/paired.js';
import {seededRandom} from '../bench/random.js';
import {leastProbability, randomizationTest} from '../bench/randomization-test.js';
import type {Standing} from './entry.js';

/**
 * After how many pairs the ledger looks. A trial therefore ends after at most 64 pairs, 128 launches; an optimization that
 * does nothing on a quiet machine is found out at the first look or the second (16 or 32 launches).
 */
export const looks: readonly number[] = [8, 16, 32, 64];

/** After a trial it looks again whenever so many pairs have come, at the last of them only. */
export const laterLook = 16;
const laterPairs = 64;

/** Wrongly 'pays' or 'slower' in fewer than 5 of 100 trials: the level is divided among the looks (Bonferroni). */
const level = 0.05 / looks.length;

/** A gain below this part of the launch is not worth an archive on disk. */
export const worthwhile = 0.02;

/** Fixed, so that the same pairs are always judged in the same way. */
const seed = 6;

/** How much faster launches are with an optimization than without. */
export interface Saving {
  readonly pairs: number;
  /** Milliseconds saved in a launch, below zero for a loss; null where there are too few pairs. */
  readonly saved: number | null;
  /** Interval of 95 %. */
  readonly interval: {readonly low: number; readonly high: number} | null;
  /** The same as part of a launch without it: 0.2 for a fifth less. */
  readonly share: number | null;
  readonly shareInterval: {readonly low: number; readonly high: number} | null;
}

/** The paired estimate. */
export const savingOf = (rounds: readonly PairedRound[]): Saving => {
  const recent = rounds.slice(-laterPairs);
  const isLog = recent.length > 0 && scaleOf(recent) === 'log';
  const asShare = (log: number): number => 1 - Math.exp(log);
  const loss = recent.length === 0 ? null : difference(contrasts(recent, 'ms'));
  const logLoss = isLog ? difference(contrasts(recent, 'log')) : null;
  const interval = bootstrapInterval(recent, 'ms', seededRandom(seed));
  const logInterval = isLog ? bootstrapInterval(recent, 'log', seededRandom(seed)) : null;
  return {
    pairs: rounds.length,
    saved: loss === null ? null : -loss,
    interval: interval === null ? null : {low: -interval.high, high: -interval.low},
    share: logLoss === null ? null : asShare(logLoss),
    shareInterval: logInterval === null ? null : {low: asShare(logInterval.high), high: asShare(logInterval.low)},
  };
};

/** What a look at so many pairs comes to, or undefined where this is no moment to look or nothing can be said yet. */
export const lookAt = (rounds: readonly PairedRound[], before: Standing): Exclude<Standing, 'trial'> | undefined => {
  if (before === 'trial') return looks.includes(rounds.length) ? trialLook(rounds) : undefined;
  if (before !== 'pays' || rounds.length % laterLook !== 0) return undefined;
  const recent = rounds.slice(-laterPairs);
  return tells(recent) === 'slower' || isFutile(recent) ? 'no gain' : undefined;
};

const trialLook = (rounds: readonly PairedRound[]): Exclude<Standing, 'trial'> | undefined => {
  const told = tells(rounds);
  if (told !== undefined) return told;
  return isFutile(rounds) || rounds.length >= (looks.at(-1) ?? 0) ? 'no gain' : undefined;
};

/** Faster or slower beyond chance, by the same test that `bootcut bench` uses. */
const tells = (rounds: readonly PairedRound[]): 'pays' | 'slower' | undefined => {
  const row = contrasts(rounds, scaleOf(rounds));
  if (leastProbability(rounds.map(({variantFirst}) => !variantFirst)) > level) return undefined;
  const [p = 1] = randomizationTest([row], seededRandom(seed)).p;
  const change = difference(row) ?? 0;
  if (p > level || change === 0) return undefined;
  return change < 0 ? 'pays' : 'slower';
};

/** Whatever the truth is, it is no gain worth having. */
const isFutile = (rounds: readonly PairedRound[]): boolean => {
  const {shareInterval} = savingOf(rounds);
  return shareInterval !== null && shareInterval.high < worthwhile;
};
