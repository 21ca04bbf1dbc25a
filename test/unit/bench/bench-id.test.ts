import {describe, it} from 'vitest';
import {newBenchId} from '../../../src/bench/bench-store.js';

const at = new Date('2026-12-31T23:59:59.500Z');

describe('the id of a bench', () => {
  it('is its second and a random part', ({expect}) => {
    expect(newBenchId(at, undefined)).toMatch(/^20261231-235959-[0-9a-f]{6}$/);
    expect(newBenchId(at, '20261231-235958-ffffff')).toMatch(/^20261231-235959-/);
    expect(newBenchId(at, undefined)).not.toBe(newBenchId(at, undefined));
  });

  it('sorts behind the one before, in one second and when the clock has been set back', ({expect}) => {
    const ids = [newBenchId(at, undefined)];
    for (let count = 0; count < 2000; count += 1) ids.push(newBenchId(at, ids.at(-1)));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    const before = newBenchId(new Date('2026-12-01T00:00:00Z'), ids.at(-1));
    expect(before > (ids.at(-1) ?? '')).toBe(true);
    expect(newBenchId(at, '20261231-235959-ffffff')).toMatch(/^20270101-000000-/);
  });

  it('takes no file of another kind for one before', ({expect}) => {
    expect(newBenchId(at, 'zzz')).toMatch(/^20261231-235959-/);
  });
});
