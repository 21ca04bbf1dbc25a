/** An item of an observed list: what it is, and when it was made (milliseconds since 1970) where that is known. */
export interface ListItem {
  readonly id: string;
  readonly createdAt: number | undefined;
}

/** A state of an observed list, in milliseconds since the start of the target. */
export interface ListChange {
  readonly at: number;
  readonly items: readonly ListItem[];
}

export interface SettleRule {
  /** How many items from the top count. */
  readonly top: number;
  /** Items made later than this long before the start are live arrivals and do not count; in milliseconds. */
  readonly cutoff: number;
  /** How long nothing may change at the end before a run counts as settled; in milliseconds. */
  readonly quiet: number;
}

export type Settled =
  | {readonly kind: 'settled'; readonly at: number; readonly ids: readonly string[]}
  /** It was still changing when the run was cut. */
  | {readonly kind: 'unsettled'; readonly lastChangeAt: number}
  /** Nothing that counts was ever in the list. Never taken for zero milliseconds. */
  | {readonly kind: 'empty'};

/**
 * The moment from which the top of a list stopped changing, after Amethyst's `startup_settle.py`: the reference is this
 * run's own final top; settled is the first row that equals it after which no row differs. `wallStart` is the start of the
 * target in milliseconds since 1970, `endAt` the end of the observation in milliseconds since the start.
 */
export const settle = (changes: readonly ListChange[], rule: SettleRule, wallStart: number, endAt: number): Settled => {
  const tops = changes.map(({at, items}) => ({at, ids: topOf(items, rule, wallStart)}));
  const last = tops.at(-1);
  if (last === undefined || last.ids.length === 0) return {kind: 'empty'};
  let first = tops.length - 1;
  while (first > 0 && isEqual(tops[first - 1]?.ids ?? [], last.ids)) first -= 1;
  const at = tops[first]?.at ?? last.at;
  return endAt - at < rule.quiet ? {kind: 'unsettled', lastChangeAt: at} : {kind: 'settled', at, ids: last.ids};
};

/** The first items that count, in their order. */
export const topOf = (
  items: readonly ListItem[],
  {top, cutoff}: Pick<SettleRule, 'top' | 'cutoff'>,
  wallStart: number,
): readonly string[] =>
  items
    .filter(({createdAt}) => createdAt === undefined || createdAt <= wallStart - cutoff)
    .slice(0, top)
    .map(({id}) => id);

export const isEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);
