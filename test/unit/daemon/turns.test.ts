import {setImmediate} from 'node:timers/promises';
import {expect, it} from 'vitest';
import {Turns} from '../../../src/daemon/turns.js';

it('lets one that is alone go on in the same moment', async () => {
  const turns = new Turns();
  expect(turns.isFree).toBe(true);
  expect(turns.take()).toBeUndefined();
  expect(turns.isFree).toBe(false);
  await setImmediate();
  await setImmediate();
  expect(turns.isFree).toBe(true);
  expect(turns.take()).toBeUndefined();
});

it('lets those that come together go on in their order, with a turn of the event loop between them', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const one = async (name: string): Promise<void> => {
    await turns.take();
    seen.push(name);
  };
  const all = Promise.all(['first', 'second', 'third'].map(one));
  const loop = (async () => {
    for (let count = 1; count <= 4; count += 1) {
      await setImmediate();
      seen.push(`turn ${count}`);
    }
  })();
  await Promise.all([all, loop]);
  // Others have their say between any two launches.
  const between = (from: string, to: string): readonly string[] => seen.slice(seen.indexOf(from) + 1, seen.indexOf(to));
  expect(seen.filter((name) => !name.startsWith('turn'))).toEqual(['first', 'second', 'third']);
  expect(between('first', 'second').length + between('second', 'third').length).toBeGreaterThanOrEqual(1);
  expect(between('second', 'third')).not.toEqual([]);
});
