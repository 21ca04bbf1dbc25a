import {contrasts, difference, halfShift, type PairedRound} from './paired.js';
import type {Random} from './random.js';

/** How many times the rounds are drawn anew. */
const resamples = 1000;

/** A two-sided 95 % interval. */
export interface IntervalOf {
  readonly low: number;
  readonly high: number;
}

/** Student's t over the normal quantile at 97.5 %, by degrees of freedom: how much too narrow a bootstrap of few is. */
const widening: readonly number[] = [1, 6.48, 2.2, 1.62, 1.42, 1.31, 1.25, 1.21, 1.18, 1.15, 1.14, 1.12, 1.11, 1.1];

/**
 * Interval of the difference of a variant from its base: rounds are drawn with replacement among those of the same order,
 * so that each draw has as many of both as the bench had. Percentiles, stretched about the estimate because a bootstrap of
 * 12 rounds is as much too narrow as the normal distribution is against Student's. Null below two rounds of each order.
 */
export const bootstrapInterval = (
  rounds: readonly PairedRound[],
  scale: 'ms' | 'log',
  random: Random,
): IntervalOf | null => {
  const all = contrasts(rounds, scale);
  const later = all.filter(({variantLater}) => variantLater);
  const earlier = all.filter(({variantLater}) => !variantLater);
  const estimate = difference(all);
  if (estimate === null || later.length < 2 || earlier.length < 2) return null;
  const drawn = new Float64Array(resamples);
  const [laterValues, earlierValues] = [later, earlier].map((group) => group.map(({value}) => value));
  for (let count = 0; count < resamples; count += 1) {
    drawn[count] = halfShift(drawAnew(laterValues ?? [], random), drawAnew(earlierValues ?? [], random));
  }
  drawn.sort();
  const wider = widening[all.length - 2] ?? 1 + 1.25 / (all.length - 2);
  const [low = estimate, high = estimate] = [
    drawn[Math.floor(resamples * 0.025)],
    drawn[Math.ceil(resamples * 0.975) - 1],
  ];
  return {
    low: estimate - Math.max(0, estimate - low) * wider,
    high: estimate + Math.max(0, high - estimate) * wider,
  };
};

const drawAnew = (group: readonly number[], random: Random): Float64Array =>
  Float64Array.from(group, () => group[Math.floor(random() * group.length)] as number);
