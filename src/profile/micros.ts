/**
 * Whole microseconds: the unit all sums are made in, because fractions of milliseconds do not add up exactly. Recorded
 * times are bounded (see `record-schema.ts`), so that every one fits.
 */
// `+ 0` turns a negative zero, which would be shown as one, into zero.
export const micros = (milliseconds: number): number => Math.round(milliseconds * 1000) + 0;

/** Back to milliseconds, as published. */
export const fromMicros = (count: number): number => count / 1000;

/** A part of a launch in whole microseconds. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A recorded interval; one that ends before it begins is empty. */
export const stretchOf = (interval: {readonly from: number; readonly to: number}): Stretch => {
  const from = micros(interval.from);
  return {from, to: Math.max(from, micros(interval.to))};
};

export const lengthOf = ({from, to}: Stretch): number => to - from;

/** The part of a stretch inside another one; empty, and inside, when they do not meet. */
export const clip = (stretch: Stretch, {from, to}: Stretch): Stretch => {
  const begin = Math.min(Math.max(stretch.from, from), to);
  return {from: begin, to: Math.min(Math.max(stretch.to, begin), to)};
};

/** How much of a stretch the others cover together, each moment counted once. */
export const covered = (whole: Stretch, parts: readonly Stretch[]): number => {
  let sum = 0;
  let last = whole.from;
  for (const part of [...parts].sort((a, b) => a.from - b.from)) {
    const piece = clip(part, {from: last, to: whole.to});
    sum += lengthOf(piece);
    last = Math.max(last, piece.to);
  }
  return sum;
};

/** For each stretch: did it share a moment with another one? An empty one shares none. */
export const overlapping = (stretches: readonly Stretch[]): readonly boolean[] => {
  const order = stretches
    .map((stretch, index) => ({stretch, index}))
    .filter(({stretch}) => lengthOf(stretch) > 0)
    .sort((a, b) => a.stretch.from - b.stretch.from);
  const flags = stretches.map(() => false);
  let latest = Number.NEGATIVE_INFINITY;
  for (const [position, {stretch, index}] of order.entries()) {
    const next = order[position + 1]?.stretch.from ?? Number.POSITIVE_INFINITY;
    flags[index] = stretch.from < latest || next < stretch.to;
    latest = Math.max(latest, stretch.to);
  }
  return flags;
};
