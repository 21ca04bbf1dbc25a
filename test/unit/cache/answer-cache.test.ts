import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {AskFailure} from '../../../src/cache/answer-cache.js';
import {days, hours, minutes, ms, seconds} from '../../../src/model/units.js';
import {safeFileIdentity} from '../../../src/system/file-identity.js';
import {asked, keeping, key, workplace} from './workplace.js';

describe('the two deadlines of an answer', () => {
  it('an answer is fresh before the first, stale after it, and missing after the second', async ({expect}) => {
    await using place = await workplace();
    const {cache, clock} = place;
    await cache.store(key('a'), keeping, asked({name: 'Ann'}));
    expect((await cache.look(key('a'), keeping)).state).toBe('fresh');
    clock.pass(ms(hours(24) - 1));
    expect((await cache.look(key('a'), keeping)).state).toBe('fresh');
    clock.pass(ms(1));
    expect(await cache.look(key('a'), keeping)).toMatchObject({state: 'stale', entry: {value: {name: 'Ann'}}});
    clock.pass(ms(days(6) - 1));
    expect((await cache.look(key('a'), keeping)).state).toBe('stale');
    clock.pass(ms(1));
    expect(await cache.look(key('a'), keeping)).toMatchObject({
      state: 'missing',
      why: expect.stringMatching(/expired/),
    });
  });

  it('an answer that was never asked for is missing', async ({expect}) => {
    await using place = await workplace();
    expect(await place.cache.look(key('a'), keeping)).toMatchObject({state: 'missing', entry: undefined});
  });

  it('a step whose times were shortened since is held to the new ones', async ({expect}) => {
    await using place = await workplace();
    await place.cache.store(key('a'), keeping, asked(1));
    place.clock.pass(hours(2));
    const shorter = {...keeping, freshFor: hours(1)};
    expect((await place.cache.look(key('a'), shorter)).state).toBe('stale');
    expect((await place.cache.look(key('a'), {...shorter, keepFor: hours(1)})).state).toBe('missing');
  });

  it('falsy answers and answers with odd names survive the store', async ({expect}) => {
    await using place = await workplace();
    for (const value of [null, false, 0, '', [], {}, {constructor: 1, toString: 'x', 'ü\u0000': '\ud800'}]) {
      await place.cache.store(key('a'), keeping, asked(value));
      expect(await place.cache.look(key('a'), keeping)).toMatchObject({state: 'fresh', entry: {value}});
      const found = await place.cache.look(key('a'), keeping);
      expect(JSON.stringify(found.entry?.value)).toBe(JSON.stringify(value));
    }
  });
});

describe('clocks that jump', () => {
  const now = Date.now();
  const stamps: readonly (readonly [string, unknown, string])[] = [
    ['two seconds ahead, as between two machines', now + 2000, 'fresh'],
    ['a day ahead', now + days(1), 'missing'],
    ['ten years ahead', now + days(3650), 'missing'],
    ['before 1970', -1, 'missing'],
    ['NaN', Number.NaN, 'missing'],
    ['Infinity', Number.POSITIVE_INFINITY, 'missing'],
    ['a string', String(now), 'missing'],
    ['null', null, 'missing'],
  ];
  for (const [name, readAt, state] of stamps) {
    it(`an entry whose readAt is ${name} is ${state}`, async ({expect}) => {
      await using place = await workplace();
      const entry = await place.cache.store(key('a'), keeping, asked(1));
      await place.stores.own.set(key('a'), {...entry, readAt}, days(7));
      expect((await place.cache.look(key('a'), keeping)).state).toBe(state);
    });
  }

  it('an entry that is fresh until before it was read is missing', async ({expect}) => {
    await using place = await workplace();
    const entry = await place.cache.store(key('a'), keeping, asked(1));
    await place.stores.own.set(key('a'), {...entry, freshUntil: entry.readAt - 1}, days(7));
    expect((await place.cache.look(key('a'), keeping)).state).toBe('missing');
  });

  it('an entry that claims to be fresh for ten years is fresh for as long as its step says', async ({expect}) => {
    await using place = await workplace();
    const entry = await place.cache.store(key('a'), keeping, asked(1));
    const far = entry.readAt + days(3650);
    await place.stores.own.set(key('a'), {...entry, freshUntil: far, expiresAt: far}, days(3650));
    place.clock.pass(hours(25));
    expect((await place.cache.look(key('a'), keeping)).state).toBe('stale');
  });

  it('a clock set back two hours costs one refresh, after which the answer is fresh again', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', 1);
    place.clock.setWall(ms(-7_200_000));
    expect((await place.cache.look(key('a'), keeping)).state).toBe('missing');
    expect(await place.ask('a', 2)).toMatchObject({kind: 'answer', entry: {value: 2}});
    expect((await place.cache.look(key('a'), keeping)).state).toBe('fresh');
    expect(place.calls()).toBe(2);
  });

  it('a failure remembered before the clock was set back two hours forbids nothing', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', new AskFailure('unreachable', 'no network'));
    place.clock.setWall(ms(-7_200_000));
    expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
  });
});

describe('failures', () => {
  it('a failed refresh keeps the good value', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', {name: 'Ann'});
    place.clock.pass(hours(25));
    expect(await place.ask('a', new AskFailure('unreachable', 'no network'))).toMatchObject({
      kind: 'failure',
      reason: 'unreachable',
      remembered: false,
    });
    expect(await place.cache.look(key('a'), keeping)).toMatchObject({state: 'stale', entry: {value: {name: 'Ann'}}});
  });

  it('a failure is never an answer, neither now nor in the list', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', new AskFailure('malformed', 'null'));
    expect((await place.cache.look(key('a'), keeping)).state).toBe('missing');
    expect(await place.cache.list()).toEqual([]);
  });

  it('an unreachable service is asked at 0, 5 and 20 seconds, and its answer is there at 60', async ({expect}) => {
    await using place = await workplace();
    const down = new AskFailure('unreachable', 'no network');
    const launch = async (answer: number | AskFailure): Promise<void> => {
      if ((await place.cache.recentFailure(key('a'))) === undefined) await place.ask('a', answer);
    };
    await launch(down);
    await launch(down); // at once: no stampede
    expect(place.calls()).toBe(1);
    place.clock.pass(seconds(5));
    await launch(down);
    expect(place.calls()).toBe(2);
    place.clock.pass(seconds(5)); // the pause has doubled
    await launch(down);
    expect(place.calls()).toBe(2);
    place.clock.pass(seconds(10));
    await launch(7);
    expect(place.calls()).toBe(3);
    place.clock.pass(seconds(40));
    expect(await place.cache.look(key('a'), keeping)).toMatchObject({state: 'fresh', entry: {value: 7}});
    expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
  });

  it('pauses double from 5 to 30 seconds, and begin anew after an answer', async ({expect}) => {
    await using place = await workplace();
    const pause = async (): Promise<number> => {
      await place.ask('a', new AskFailure('server-error', '500'));
      const failure = await place.cache.recentFailure(key('a'));
      const length = (failure?.until ?? 0) - place.clock.wall();
      place.clock.pass(ms(length));
      expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
      return length;
    };
    expect([await pause(), await pause(), await pause(), await pause(), await pause()]).toEqual([
      5000, 10_000, 20_000, 30_000, 30_000,
    ]);
    await place.ask('a', 1);
    expect(await pause()).toBe(5000);
  });

  for (const [wish, pause] of [
    [0, 5000],
    [-5, 5000],
    [3_600_000, 3_600_000],
    [days(365), 86_400_000],
    [Number.POSITIVE_INFINITY, 86_400_000],
    [Number.NaN, 5000],
  ] as const) {
    it(`a service that wants ${wish} ms of peace is left alone for ${pause} ms`, async ({expect}) => {
      await using place = await workplace();
      await place.ask('a', new AskFailure('rate-limited', '429', {retryAfter: wish}));
      place.clock.pass(ms(pause - 1));
      expect(await place.cache.recentFailure(key('a'))).toMatchObject({reason: 'rate-limited'});
      place.clock.pass(ms(1));
      expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
    });
  }

  it('a question that was given up by us is no failure of the other side', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', new AskFailure('abandoned', 'nobody wants it', {abandoned: true}));
    expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
  });

  it('a failure is remembered although the store takes nothing', async ({expect}) => {
    await using place = await workplace();
    rmSync(join(place.directory, 'answers'), {recursive: true});
    writeFileSync(join(place.directory, 'answers'), '');
    await place.ask('a', new AskFailure('unreachable', 'no network'));
    expect(await place.cache.recentFailure(key('a'))).toMatchObject({reason: 'unreachable', count: 1});
    place.clock.pass(seconds(5));
    await place.ask('a', new AskFailure('unreachable', 'no network'));
    expect(await place.cache.recentFailure(key('a'))).toMatchObject({count: 2});
  });

  it('a remembered failure that makes no sense is none', async ({expect}) => {
    await using place = await workplace();
    const at = place.clock.wall();
    for (const failure of [
      null,
      'x',
      [],
      {reason: 'x', detail: '', count: 1, at, until: 'later'},
      {reason: 'x', detail: '', count: 1, at: at + days(1), until: at + days(1) + 5000},
      {reason: 'x', detail: '', count: 1, at, until: at + days(400)},
    ]) {
      await place.stores.own.set(`failure:${key('a')}`, failure, days(1));
      expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
    }
  });
});

describe('files an answer depends on', () => {
  it('an answer is missing, with the reason, once a file it depends on has changed', async ({expect}) => {
    await using place = await workplace();
    const path = join(place.directory, 'hosts.yml');
    writeFileSync(path, 'user: ann');
    await place.cache.store(key('a'), keeping, asked('ann', {files: [[path, safeFileIdentity(path)]]}));
    expect((await place.cache.look(key('a'), keeping)).state).toBe('fresh');
    writeFileSync(path, 'user: bob');
    expect(await place.cache.look(key('a'), keeping)).toMatchObject({
      state: 'missing',
      why: `${path} has changed`,
      entry: {value: 'ann'},
    });
  });

  it('a file that was absent and appears, or was there and goes, counts as changed', async ({expect}) => {
    await using place = await workplace();
    const path = join(place.directory, 'later');
    await place.cache.store(key('a'), keeping, asked(1, {files: [[path, safeFileIdentity(path)]]}));
    writeFileSync(path, '');
    expect((await place.cache.look(key('a'), keeping)).state).toBe('missing');
    await place.cache.store(key('a'), keeping, asked(1, {files: [[path, safeFileIdentity(path)]]}));
    rmSync(path);
    expect((await place.cache.look(key('a'), keeping)).state).toBe('missing');
  });
});

describe('list and clear', () => {
  it('lists answers by their own key, newest first', async ({expect}) => {
    await using place = await workplace();
    await place.cache.store(key('old'), keeping, asked(1));
    place.clock.pass(minutes(1));
    await place.cache.store(key('new'), keeping, asked(2));
    expect((await place.cache.list()).map((item) => item.key)).toEqual([key('new'), key('old')]);
  });

  it('clearing a step forgets its answers and its remembered failures, and nothing else', async ({expect}) => {
    await using place = await workplace();
    const other = {...keeping, step: 'other/step'};
    await place.ask('a', 1);
    await place.cache.store(key('b'), other, asked(2));
    place.clock.pass(hours(25));
    await place.ask('a', new AskFailure('unreachable', 'no network'));
    await place.cache.clear(({step}) => step === 'plugin/step', false);
    expect((await place.cache.look(key('a'), keeping)).state).toBe('missing');
    expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
    expect((await place.cache.look(key('b'), other)).state).toBe('stale');
  });

  it('clearing all forgets failures without an answer as well', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', new AskFailure('unreachable', 'no network'));
    expect(await place.cache.clear(() => true, true)).toBe(0);
    expect(await place.cache.recentFailure(key('a'))).toBeUndefined();
  });
});
