import {toMicro} from '../model/units.js';
import {medianOf} from './statistics.js';

/** A place in a row of values from which on they are of another size. */
export interface ChangePoint {
  /** Place of the first value of the new level. */
  readonly at: number;
  /** Medians of the levels on both sides, as far as the next change. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** A level has at least this many values. */
export const shortestLevel = 5;

/** A change is at least this part of the level before it, and this long: what is less is real perhaps, but of no use. */
export const smallestChange = {share: 0.05, milliseconds: 1} as const;

/** Two-sided chance of a false alarm in a whole row of values that depend on nothing: 1 in 1,000. */
const falseAlarm = 0.001;

/**
 * Splits a row where the ranks of what lies before and behind differ most (Mann and Whitney's statistic over its standard
 * deviation), if that is beyond chance for every place that was tried (Bonferroni), then each part again. Only the order
 * of sizes counts, so that a few wild launches make no change; the same row always gives the same changes. A new level is
 * seen after 8 to 11 values. A slow drift shows as steps.
 */
export const changePoints = (values: readonly number[]): readonly ChangePoint[] => {
  const cuts = cutsOf(values, 0, values.length).sort((a, b) => a - b);
  return settled(values, cuts);
};

const cutsOf = (values: readonly number[], from: number, to: number): number[] => {
  const at = bestCut(values.slice(from, to));
  if (at === undefined) return [];
  const middle = from + at;
  return [...cutsOf(values, from, middle), middle, ...cutsOf(values, middle, to)];
};

const bestCut = (values: readonly number[]): number | undefined => {
  const count = values.length;
  if (count < 2 * shortestLevel) return undefined;
  const ranks = ranksOf(values);
  let sum = 0;
  let most = 0;
  let best: number | undefined;
  for (let at = 1; at <= count - shortestLevel; at += 1) {
    sum += ranks[at - 1] ?? 0;
    if (at < shortestLevel) continue;
    const expected = (at * (count + 1)) / 2;
    const deviation = Math.sqrt((at * (count - at) * (count + 1)) / 12);
    const distance = Math.abs(sum - expected) / deviation;
    if (distance > most) [most, best] = [distance, at];
  }
  return best !== undefined && upperTail(most) * 2 * count <= falseAlarm ? placed(values, best) : undefined;
};

/**
 * Ranks know the order of sizes only, and put the cut of a row that rises all the time into its middle. The place is where
 * most values lie on their own level's side of what is halfway between both levels.
 */
const placed = (values: readonly number[], cut: number): number => {
  let at = cut;
  for (let turn = 0; turn < 5; turn += 1) {
    const [before, after] = [medianOf(values.slice(0, at)), medianOf(values.slice(at))];
    const half = (before + after) / 2;
    let score = 0;
    let most = 0;
    let best = at;
    for (const [index, value] of values.entries()) {
      score += value > half === after > before ? -1 : 1;
      if (score > most && index + 1 >= shortestLevel && index + 1 <= values.length - shortestLevel) {
        [most, best] = [score, index + 1];
      }
    }
    if (best === at) break;
    at = best;
  }
  return at;
};

/** Places in the order of size, from 1; equal values share the mean of theirs. */
const ranksOf = (values: readonly number[]): readonly number[] => {
  const order = values.map((value, index) => ({value, index})).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length).fill(0);
  for (let first = 0; first < order.length; ) {
    let end = first + 1;
    while (end < order.length && order[end]?.value === order[first]?.value) end += 1;
    for (const {index} of order.slice(first, end)) ranks[index] = (first + 1 + end) / 2;
    first = end;
  }
  return ranks;
};

/** Share of a normal distribution beyond `z` standard deviations (an upper bound that is close above 3). */
const upperTail = (z: number): number => (z < 1 ? 1 : Math.exp((-z * z) / 2) / (z * Math.sqrt(2 * Math.PI)));

/** Leaves out cuts between levels that hardly differ: the least one first, until none is too small. */
const settled = (values: readonly number[], cuts: readonly number[]): readonly ChangePoint[] => {
  const edges = [0, ...cuts, values.length];
  const medians = edges.slice(1).map((edge, index) => medianOf(values.slice(edges[index], edge)));
  const changes = cuts.map((at, index) => ({
    at,
    beforeMs: toMicro(medians[index] ?? 0),
    afterMs: toMicro(medians[index + 1] ?? 0),
  }));
  const size = ({beforeMs, afterMs}: ChangePoint): number => Math.abs(afterMs - beforeMs);
  const small = changes
    .filter((change) => size(change) < Math.max(smallestChange.milliseconds, smallestChange.share * change.beforeMs))
    .sort((a, b) => size(a) - size(b))[0];
  if (small === undefined) return changes;
  return settled(
    values,
    cuts.filter((at) => at !== small.at),
  );
};
