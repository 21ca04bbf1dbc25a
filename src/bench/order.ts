import {type Random, shuffled} from './random.js';

/** Fewest rounds in which one of two variants must come first, out of `rounds`: a quarter. */
export const leastOfEachOrder = (rounds: number): number => Math.max(1, Math.floor(rounds / 4));

/** How often a draw is repeated that has some pair in one order only. 12 rounds of 2 need a second draw once in 26 times. */
const drawLimit = 1000;

/**
 * The order of the variants in each round: every round a shuffle of its own, so that position and drift fall on all
 * variants alike. A draw in which one of a pair comes first in fewer than a quarter of the rounds is drawn again: from it
 * the effect of the position could not be told from the effect of the variant. The randomization test knows that rule.
 */
export const drawOrder = (
  variants: readonly string[],
  rounds: number,
  random: Random,
): readonly (readonly string[])[] => {
  for (let draw = 1; ; draw += 1) {
    const order = Array.from({length: rounds}, () => shuffled(variants, random));
    if (draw === drawLimit || rounds < 2 || isBalanced(variants, order)) return order;
  }
};

const isBalanced = (variants: readonly string[], order: readonly (readonly string[])[]): boolean => {
  const least = leastOfEachOrder(order.length);
  return variants.every((one, index) =>
    variants.slice(index + 1).every((other) => {
      const first = order.filter((round) => round.indexOf(one) < round.indexOf(other)).length;
      return first >= least && order.length - first >= least;
    }),
  );
};
