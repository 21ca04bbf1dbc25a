import {describe, expect, it} from 'vitest';
import {type ListChange, settle} from '../../../src/timeline/settle.js';

const start = 1_700_000_000_000;
const rule = {top: 5, cutoff: 60_000, quiet: 1000};
const old = start - 3_600_000;

/** A row of the list: ids that were made long ago, or [id, seconds before the start]. */
const row = (at: number, ...items: readonly (string | readonly [string, number])[]): ListChange => ({
  at,
  items: items.map((item) =>
    typeof item === 'string' ? {id: item, createdAt: old} : {id: item[0], createdAt: start - item[1] * 1000},
  ),
});

describe('settled (A2)', () => {
  it('is the first row that equals the run’s own final top, after which none differs', () => {
    const changes = [row(100, 'a'), row(200, 'b', 'a'), row(900, 'c', 'b', 'a'), row(950, 'c', 'b', 'a', 'z')];
    expect(settle(changes, {...rule, top: 3}, start, 5000)).toEqual({kind: 'settled', at: 900, ids: ['c', 'b', 'a']});
  });

  it('starts anew when the top comes back after it was another one', () => {
    expect(settle([row(100, 'a'), row(200, 'b'), row(300, 'a')], rule, start, 5000)).toMatchObject({at: 300});
  });

  it('is not moved by an item made 59 s before the start, and is by one made 61 s before', () => {
    const before = [row(100, 'a', 'b')];
    expect(settle([...before, row(900, ['live', 59], 'a', 'b')], rule, start, 5000)).toMatchObject({at: 100});
    expect(settle([...before, row(900, ['older', 61], 'a', 'b')], rule, start, 5000)).toMatchObject({at: 900});
  });

  it('works with fewer items than count, and looks at their order', () => {
    expect(settle([row(100, 'a', 'b'), row(400, 'b', 'a')], rule, start, 5000)).toMatchObject({
      at: 400,
      ids: ['b', 'a'],
    });
  });

  it('has no value for a list that never held anything that counts: never zero (A12)', () => {
    expect(settle([], rule, start, 5000)).toEqual({kind: 'empty'});
    expect(settle([row(100), row(200, ['live', 1])], rule, start, 5000)).toEqual({kind: 'empty'});
  });

  it('is unsettled when the run was cut before the list was quiet', () => {
    expect(settle([row(100, 'a'), row(4500, 'b')], rule, start, 5000)).toEqual({kind: 'unsettled', lastChangeAt: 4500});
  });
});
