import {medianInPlace} from './median-in-place.js';
import {median} from './statistics.js';

/** Both values of one round, in milliseconds, and which of the two ran first. */
export interface PairedRound {
  readonly base: number;
  readonly variant: number;
  readonly variantFirst: boolean;
}

/** One round as the test sees it: how much later-run minus earlier-run came to, and whether the variant was the later. */
export interface Contrast {
  readonly value: number;
  readonly variantLater: boolean;
}

/** Milliseconds, or natural logarithms of them: there a host that is 30 % slower for a while changes no difference. */
export type Scale = 'ms' | 'log';

/** Logarithms need values above zero. */
export const scaleOf = (rounds: readonly PairedRound[]): Scale =>
  rounds.every(({base, variant}) => base > 0 && variant > 0) ? 'log' : 'ms';

export const contrasts = (rounds: readonly PairedRound[], scale: Scale): readonly Contrast[] =>
  rounds.map(({base, variant, variantFirst}) => {
    const change = scale === 'log' ? Math.log(variant) - Math.log(base) : variant - base;
    return {value: variantFirst ? -change : change, variantLater: !variantFirst};
  });

/**
 * How much the variant differs from the base, with the effect of the position taken out. Rounds with the variant later
 * show `position + difference`, the others `position - difference`: half of the shift between the two groups is the
 * difference. The shift is Hodges and Lehmann's (the median over all pairs), which one wild run does not move. With one
 * order only, position and variant cannot be told apart, and the median of the plain differences stands in.
 */
export const difference = (rounds: readonly Contrast[]): number | null => {
  const later = rounds.filter(({variantLater}) => variantLater);
  const earlier = rounds.filter(({variantLater}) => !variantLater);
  if (later.length === 0 || earlier.length === 0) {
    return median(rounds.map(({value, variantLater}) => (variantLater ? value : -value)));
  }
  return halfShift(
    later.map(({value}) => value),
    earlier.map(({value}) => value),
  );
};

/** Half of Hodges and Lehmann's shift between two groups, neither of them empty: the median over all pairs. */
export const halfShift = (later: ArrayLike<number>, earlier: ArrayLike<number>): number => {
  const gaps = new Float64Array(later.length * earlier.length);
  for (let one = 0; one < later.length; one += 1) {
    for (let other = 0; other < earlier.length; other += 1) {
      gaps[one * earlier.length + other] = (later[one] as number) - (earlier[other] as number);
    }
  }
  return medianInPlace(gaps) / 2;
};
