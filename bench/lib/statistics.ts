/** The value below which the share `at` of the samples lies, by the nearest rank: no value that was not measured. */
export const quantile = (samples: readonly number[], at: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(at * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
};

export const median = (samples: readonly number[]): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
};

/** Numbers in [0, 1) that follow from the seed alone (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export const shuffled = <T>(items: readonly T[], random: () => number): readonly T[] =>
  items
    .map((item) => ({item, place: random()}))
    .sort((a, b) => a.place - b.place)
    .map(({item}) => item);

/** Where the ratio of the medians lies in 95 of 100 cases: both are drawn again and again from their samples. */
export const ratioInterval = (
  samples: readonly number[],
  others: readonly number[],
  seed: number,
): readonly [low: number, high: number] => {
  const random = seededRandom(seed);
  const draw = (from: readonly number[]): readonly number[] =>
    from.map(() => from[Math.floor(random() * from.length)] ?? Number.NaN);
  const ratios = Array.from({length: 2000}, () => median(draw(samples)) / median(draw(others))).sort((a, b) => a - b);
  return [ratios[50] ?? Number.NaN, ratios[1949] ?? Number.NaN];
};
