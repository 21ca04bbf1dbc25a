/** Numbers that look random and are the same for the same seed (mulberry32), so that a failure can be run again. */
export type Random = {
  /** A whole number of 0 to `below` - 1. */
  readonly whole: (below: number) => number;
  readonly bytes: (length: number) => Buffer;
  readonly pick: <T>(items: readonly T[]) => T;
};

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (below: number): number => Math.floor(next() * below);
  return {
    whole,
    bytes: (length) => Buffer.from(Array.from({length}, () => whole(256))),
    pick: <T>(items: readonly T[]): T => items[whole(items.length)] as T,
  };
}
