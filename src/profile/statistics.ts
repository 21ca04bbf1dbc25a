import {toMicro} from '../model/units.js';

/** A set of times in milliseconds in three figures. */
export interface Spread {
  readonly n: number;
  readonly medianMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Undefined for no values at all: no figure stands for nothing. */
export const spreadOf = (values: readonly number[]): Spread | undefined => {
  const sorted = [...values].sort((a, b) => a - b);
  const [least] = sorted;
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) return undefined;
  return {n: sorted.length, medianMs: toMicro(quantileOf(sorted, 0.5)), leastMs: least, mostMs: most};
};

/** The middle value, or what lies halfway between the two middle ones. 0 for none. */
export const medianOf = (values: readonly number[]): number =>
  quantileOf(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/** Of values in order, with straight lines between them. 0 for none. */
export const quantileOf = (sorted: ArrayLike<number>, at: number): number => {
  if (sorted.length === 0) return 0;
  const place = at * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
};

/** What a comparison of two sets of times comes to. */
export type Verdict = 'faster' | 'slower' | 'no difference shown' | 'not enough data';

export interface Shift {
  /** By how much the second set is later, in milliseconds: the median of all differences between one of each. */
  readonly shiftMs: number;
  /** In which the shift lies with 95 % confidence; null with fewer than five values on a side. */
  readonly interval: {readonly fromMs: number; readonly toMs: number} | null;
  readonly verdict: Verdict;
}

/** Fewer values than this on a side say nothing about a difference: the interval would reach over all of them. */
export const fewest = 5;

/**
 * Hodges and Lehmann's shift with the interval that belongs to the rank test of Mann and Whitney: it asks for no shape of
 * the distribution, one wild launch does not move it, and it has no chance in it. Undefined when a side is empty.
 */
export const shiftOf = (a: readonly number[], b: readonly number[]): Shift | undefined => {
  if (a.length === 0 || b.length === 0) return undefined;
  const differences = new Float64Array(a.length * b.length);
  let place = 0;
  for (const left of a) for (const right of b) differences[place++] = right - left;
  differences.sort();
  const shiftMs = toMicro(quantileOf(differences, 0.5));
  if (Math.min(a.length, b.length) < fewest) return {shiftMs, interval: null, verdict: 'not enough data'};
  const spread = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  const outside = Math.max(1, Math.floor(differences.length / 2 - 1.96 * spread));
  const fromMs = toMicro(differences[outside - 1] ?? 0);
  const toMs = toMicro(differences[differences.length - outside] ?? 0);
  const verdict = fromMs > 0 ? 'slower' : toMs < 0 ? 'faster' : 'no difference shown';
  return {shiftMs, interval: {fromMs, toMs}, verdict};
};
