import {leastOfEachOrder} from './order.js';
import type {Contrast} from './paired.js';
import type {Random} from './random.js';
import {median} from './statistics.js';

/** Up to this many rounds every order is tried, of two that mirror each other one: 16,384. Beyond, this many are drawn. */
const exactLimit = 15;
const draws = 20_000;

/** A statistic so large that nothing is left unexplained. */
const boundless = 1e12;

/** A contrast by its round; undefined where one of the two runs has no value for this milestone. */
export type Row = readonly (Contrast | undefined)[];

export interface TestResult {
  /** Probability of a statistic at least this large if the variants were the same, for each row. */
  readonly p: readonly number[];
  /** The same, for each row, when all rows are looked at together (Westfall and Young's single-step maximum). */
  readonly pTogether: readonly number[];
}

/**
 * Were the variants the same, then each round would have shown the same two numbers whichever of them the shuffle had put
 * first. So the orders that the shuffle could have drawn, laid over the numbers as they are, give the distribution of the
 * statistic: no assumption about its shape, and whatever the position in a round or a drift over the rounds does to the
 * numbers, it does to each of these orders too. The statistic is the F of the order-adjusted difference. Rows share the
 * orders, so that many milestones can be judged together without dividing the level by their number.
 */
export const randomizationTest = (rows: readonly Row[], random: Random): TestResult => {
  const rounds = rows[0]?.length ?? 0;
  const observed = observedOrder(rows, rounds);
  const columns = rows.map(prepare);
  const seen = columns.map((column) => statistic(column, observed));
  const least = leastPossible(observed);
  if (least < 1) return {p: seen.map(() => 1), pTogether: seen.map(() => 1)};
  const alone = seen.map(() => 0);
  const together = seen.map(() => 0);
  let total = 0;
  for (const order of orders(rounds, least, random)) {
    total += 1;
    let highest = 0;
    for (let index = 0; index < columns.length; index += 1) {
      const drawn = statistic(columns[index] as Column, order);
      if (drawn > highest) highest = drawn;
      if (reaches(drawn, seen[index] as number)) alone[index] = (alone[index] as number) + 1;
    }
    for (let index = 0; index < columns.length; index += 1) {
      if (reaches(highest, seen[index] as number)) together[index] = (together[index] as number) + 1;
    }
  }
  // Of drawn orders the observed one is counted as well: no probability is ever zero.
  const extra = rounds > exactLimit ? 1 : 0;
  const share = (hits: number): number => Math.min(1, (hits + extra) / (total + extra));
  return {p: alone.map(share), pTogether: together.map(share)};
};

const reaches = (drawn: number, seen: number): boolean => drawn >= seen * (1 - 1e-9);

/** An order: 1 for a round in which the variant ran later, 0 for the others. */
type Order = Uint8Array;

const observedOrder = (rows: readonly Row[], rounds: number): Order =>
  Uint8Array.from({length: rounds}, (_, round) =>
    rows.find((row) => row[round] !== undefined)?.[round]?.variantLater === true ? 1 : 0,
  );

const laterIn = (order: Order): number => order.reduce((sum, bit) => sum + bit, 0);

/** How many rounds of each order a draw has at the least; fewer than usual where failed rounds have left fewer. */
const leastPossible = (order: Order): number => {
  const later = laterIn(order);
  return Math.min(leastOfEachOrder(order.length), later, order.length - later);
};

interface Column {
  /** By round; NaN where there is none. */
  readonly values: Float64Array;
  readonly n: number;
  readonly sum: number;
  /** Sum of squares about the mean; the orders do not change it. */
  readonly spread: number;
}

/** At most one in six is wild, and wild is three times as far from the middle as all the others. */
const wildShare = 6;
const wildReach = 3;

/**
 * A few values far from all others (a run that took 50 times as long) are set half-way between the others, where they
 * speak for nobody. More than a few are no accident: every order has one round in four, so a clear difference is never
 * taken for wild. This looks at the numbers alone and at no order, so the probabilities stay exact.
 */
const tame = (values: readonly (number | undefined)[]): readonly (number | undefined)[] => {
  const present = values.filter((value) => value !== undefined);
  const middle = median(present) ?? 0;
  const distances = present.map((value) => Math.abs(value - middle)).sort((a, b) => a - b);
  const usual = distances[present.length - Math.floor(present.length / wildShare) - 1] ?? 0;
  const others = present.filter((value) => Math.abs(value - middle) <= usual * wildReach);
  if (usual === 0 || others.length === present.length) return values;
  const between = (Math.min(...others) + Math.max(...others)) / 2;
  return values.map((value) =>
    value === undefined || Math.abs(value - middle) <= usual * wildReach ? value : between,
  );
};

const prepare = (row: Row): Column => {
  const values = tame(row.map((contrast) => contrast?.value));
  const present = values.filter((value) => value !== undefined);
  const sum = present.reduce((total, value) => total + value, 0);
  const average = sum / Math.max(1, present.length);
  return {
    values: Float64Array.from(values, (value) => value ?? Number.NaN),
    n: present.length,
    sum,
    spread: present.reduce((total, value) => total + (value - average) ** 2, 0),
  };
};

/** F of the difference between rounds with the variant later and the others. */
const statistic = ({values, n, sum, spread}: Column, order: Order): number => {
  let [later, laterSum] = [0, 0];
  for (let round = 0; round < values.length; round += 1) {
    const value = values[round] as number;
    if (order[round] === 0 || Number.isNaN(value)) continue;
    later += 1;
    laterSum += value;
  }
  const earlier = n - later;
  if (later === 0 || earlier === 0 || n < 3) return 0;
  const gap = laterSum / later - (sum - laterSum) / earlier;
  const between = ((later * earlier) / n) * gap ** 2;
  if (between <= spread * 1e-12) return 0;
  const within = spread - between;
  return within <= spread * 1e-12 ? boundless : Math.min(boundless, (between / within) * (n - 2));
};

/**
 * The orders that the shuffle could have drawn: all, or as many draws as are worth it. The same array each time. An order
 * and its mirror give the same statistic, so of all of them only those count in which the last round has the variant earlier.
 */
function* orders(rounds: number, least: number, random: Random): Generator<Order> {
  const order = new Uint8Array(rounds);
  const isPossible = (): boolean => {
    const later = laterIn(order);
    return later >= least && rounds - later >= least;
  };
  const exact = rounds <= exactLimit;
  for (let drawn = 0; drawn < (exact ? 2 ** (rounds - 1) : draws); ) {
    for (let round = 0; round < rounds; round += 1)
      order[round] = exact ? (drawn >> round) & 1 : random() < 0.5 ? 1 : 0;
    const possible = isPossible();
    if (exact || possible) drawn += 1;
    if (possible) yield order;
  }
}

/**
 * The smallest probability that rounds with this order can give at all: the observed order and its mirror out of all that
 * are possible. Above the wanted level there is not enough data for a verdict, whatever the numbers say.
 */
export const leastProbability = (variantLater: readonly boolean[]): number => {
  const rounds = variantLater.length;
  const least = leastPossible(Uint8Array.from(variantLater, Number));
  if (least < 1 || rounds < 3) return 1;
  if (rounds > exactLimit) return 1 / (draws + 1);
  let possible = 0;
  for (let count = least; count <= rounds - least; count += 1) possible += choose(rounds, count);
  return 2 / possible;
};

/**
 * The fewest rounds that can give a probability of at most `wanted`, each order in half of them. Undefined where no number
 * can: beyond some 160 comparisons at once.
 */
export const fewestRounds = (wanted: number): number | undefined => {
  for (let rounds = 3; rounds <= exactLimit; rounds += 1) {
    if (leastProbability(Array.from({length: rounds}, (_, round) => round % 2 === 0)) <= wanted) return rounds;
  }
  return undefined;
};

const choose = (n: number, k: number): number => {
  let result = 1;
  for (let index = 1; index <= k; index += 1) result = (result * (n - k + index)) / index;
  return Math.round(result);
};
