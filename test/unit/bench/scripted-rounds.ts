import {drawOrder} from '../../../src/bench/order.js';
import type {PairedRound} from '../../../src/bench/paired.js';
import type {Random} from '../../../src/bench/random.js';

/** A scripted pair of targets: what each run takes, by round and by its place in the round. */
export interface Script {
  readonly rounds: number;
  /** Milliseconds of the base without noise. */
  readonly base: number;
  /** The variant takes this part more. */
  readonly shift: number;
  /** Standard deviation of a run, as a part. */
  readonly noise: number;
  /** What the host adds, as a part: by round and place. */
  readonly host?: (round: number, place: number, random: Random) => number;
}

/** Normally distributed numbers (Box and Muller). */
const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Rounds of a scripted pair, in the order that the bench itself would have drawn. */
export const scriptedRounds = (script: Script, random: Random): readonly PairedRound[] =>
  drawOrder(['base', 'variant'], script.rounds, random).map((order, round) => {
    const taken = (name: string): number => {
      const own = name === 'variant' ? 1 + script.shift : 1;
      const host = 1 + (script.host?.(round, order.indexOf(name), random) ?? 0);
      return script.base * own * host * (1 + script.noise * normal(random));
    };
    return {base: taken('base'), variant: taken('variant'), variantFirst: order[0] === 'variant'};
  });
