/** What a list of numbers comes to; a figure that the list is too short for is null, never NaN. */
export interface Summary {
  readonly n: number;
  readonly median: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** Sample standard deviation (n - 1); null below two values. */
  readonly sd: number | null;
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The middle value, or the mean of the middle two; null of nothing. */
export const median = (values: readonly number[]): number | null => {
  const sorted = ascending(values);
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? upper)) / 2;
};

/** The value below which the share `at` lies, by the nearest rank: no value that was not measured. Null of nothing. */
export const quantile = (values: readonly number[], at: number): number | null => {
  const sorted = ascending(values);
  return sorted[Math.min(sorted.length, Math.max(1, Math.ceil(at * sorted.length))) - 1] ?? null;
};

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

const deviation = (values: readonly number[]): number | null => {
  const middle = mean(values);
  if (middle === null || values.length < 2) return null;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
};

export const summarize = (values: readonly number[]): Summary => ({
  n: values.length,
  median: median(values),
  min: values.length === 0 ? null : Math.min(...values),
  max: values.length === 0 ? null : Math.max(...values),
  mean: mean(values),
  sd: deviation(values),
});

/** Do the ranges of two summaries share a value? Null where one has none. */
export const overlaps = (one: Summary, other: Summary): boolean | null => {
  if (one.min === null || one.max === null || other.min === null || other.max === null) return null;
  return one.min <= other.max && other.min <= one.max;
};

/**
 * Values far from the others, by Tukey's rule: more than three times the distance of the quartiles outside of them. For
 * the notice only; nothing is ever left out for being far away.
 */
export const outliers = (values: readonly number[]): readonly number[] => {
  const [low, high] = [quantile(values, 0.25), quantile(values, 0.75)];
  if (low === null || high === null || values.length < 5) return [];
  const reach = 3 * Math.max(high - low, Math.abs(high) * 0.01);
  return values.filter((value) => value < low - reach || value > high + reach);
};
