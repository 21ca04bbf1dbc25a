import {rm} from 'node:fs/promises';
import {afterEach, beforeEach, describe, it, vi} from 'vitest';
import {AnswerCache} from '../../../src/cache/answer-cache.js';
import type {Entry} from '../../../src/cache/entry.js';
import {openStores} from '../../../src/cache/stores.js';
import {Refresher} from '../../../src/daemon/refresher.js';
import {type Question, questionKey} from '../../../src/launch/asking.js';
import type {LaunchId, Milliseconds, Moment, WallTime} from '../../../src/model/units.js';
import {days, hours, minutes, ms, seconds} from '../../../src/model/units.js';
import type {PluginHost} from '../../../src/steps/host.js';
import type {SharedLaunch, StepInfo} from '../../../src/steps/messages.js';
import type {Clock} from '../../../src/system/clock.js';
import {makeGate} from '../../rig/gate.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

/** The clocks that vitest moves together with its timers. */
const clock: Clock = {wall: () => Date.now() as WallTime, now: () => performance.now() as Moment};

const info: StepInfo = {
  plugin: 'git-identity',
  name: 'identity',
  kind: 'lookup',
  barrier: 'run',
  limit: seconds(3),
  required: false,
  freshFor: hours(24),
  keepFor: days(7),
  private: true,
};

/** A plugin side whose answers a test decides, and which keeps account of what it is asked. */
class FakePlugin {
  account = 'ann';
  reads: string[] = [];
  running = 0;
  peak = 0;
  readonly known = new Set<string>();
  answer: () => Promise<unknown> = async () => ({
    value: `answer ${this.reads.length}`,
    files: [],
    spans: [],
    unchanged: false,
  });

  get host(): PluginHost {
    return this as unknown as PluginHost;
  }

  remember(launch: SharedLaunch): void {
    this.known.add(launch.id);
  }

  forget(id: string): void {
    this.known.delete(id);
  }

  async call(name: string, args: {launch: string; ref?: {item?: string}; steps?: unknown}): Promise<unknown> {
    if (!this.known.has(args.launch)) return {ok: false, fault: {reason: 'threw', detail: 'launch not known here'}};
    if (name === 'inspect') {
      const items = Array.from({length: 20}, (_, index) => ({
        ref: {plugin: 'git-identity', name: 'identity', item: String(index)},
        kind: 'wanted',
        key: this.account,
      }));
      return {ok: true, value: items};
    }
    this.reads.push(args.ref?.item ?? '');
    this.running += 1;
    this.peak = Math.max(this.peak, this.running);
    try {
      return {ok: true, value: await this.answer()};
    } catch (error) {
      return {ok: false, fault: {reason: 'unreachable', detail: String(error)}};
    } finally {
      this.running -= 1;
    }
  }
}

interface Scene extends AsyncDisposable {
  readonly plugin: FakePlugin;
  readonly cache: AnswerCache;
  readonly refresher: Refresher;
  readonly directory: string;
  /** A launch uses this item's answer: asks for it where it is not stored. */
  readonly launch: (item?: string, info?: StepInfo, id?: string) => Promise<void>;
}

async function scene(useWindow: Milliseconds = days(2)): Promise<Scene> {
  const directory = await temporaryDirectory('refresher');
  const cache = new AnswerCache(await openStores(directory, undefined), clock, undefined);
  const plugin = new FakePlugin();
  const refresher = new Refresher(cache, clock, () => undefined, useWindow);
  return {
    plugin,
    cache,
    refresher,
    directory,
    launch: async (item = '0', step = info, id = 'launch') => {
      const ref = {plugin: 'git-identity', name: 'identity', item};
      const launch = {id: id as LaunchId, updatables: []} as unknown as SharedLaunch;
      const key = questionKey(ref, plugin.account);
      const keeping = {step: 'x', freshFor: step.freshFor, keepFor: step.keepFor, private: true};
      const question: Question = {host: plugin.host, info: step, ref, launch: launch.id, key};
      if ((await cache.look(key, keeping)).state === 'missing')
        await cache.store(key, keeping, {value: 'first', files: [], took: ms(1)});
      refresher.use(question, launch);
      await refresher.plan();
    },
    [Symbol.asyncDispose]: async () => {
      refresher.stop();
      await rm(directory, {recursive: true, force: true});
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance']});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const pass = async (time: Milliseconds): Promise<void> => {
  await vi.advanceTimersByTimeAsync(time);
};

describe('an answer in use', () => {
  it('of 24 hours is asked for in its 22nd, so that a launch in the 23rd and the 25th finds it fresh', async ({
    expect,
  }) => {
    await using place = await scene();
    await place.launch();
    await pass(hours(21));
    expect(place.plugin.reads).toEqual([]);
    await pass(hours(0.7));
    expect(place.plugin.reads).toEqual(['0']);
    const keeping = {step: 'x', freshFor: hours(24), keepFor: days(7), private: true};
    const key = questionKey({plugin: 'git-identity', name: 'identity', item: '0'}, 'ann');
    await pass(hours(3.3));
    expect(await place.cache.look(key, keeping)).toMatchObject({state: 'fresh', entry: {value: 'answer 1'}});
  });

  it('is asked for again and again, for as long as launches use it, and then no more', async ({expect}) => {
    await using place = await scene(days(2));
    await place.launch();
    await pass(days(10));
    expect(place.plugin.reads).toHaveLength(2);
    expect(place.refresher.count).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(place.refresher.nextIn).toBeNull();
  });

  it('wakes the process once for each time it is due', async ({expect}) => {
    await using place = await scene();
    await place.launch();
    const next = place.refresher.nextIn ?? 0;
    expect(next).toBeGreaterThanOrEqual(hours(24) * 0.88);
    expect(next).toBeLessThanOrEqual(hours(24) * 0.9);
    let timers = 0;
    const set = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((...args: Parameters<typeof setTimeout>) => {
      timers += 1;
      return set(...args);
    });
    await pass(hours(23));
    vi.restoreAllMocks();
    expect(place.plugin.reads).toHaveLength(1);
    expect(timers).toBe(1);
  });

  it('is not asked for under a key that the plugin would no longer give', async ({expect}) => {
    await using place = await scene();
    await place.launch();
    place.plugin.account = 'bob';
    await pass(hours(23));
    expect(place.plugin.reads).toEqual([]);
    expect(place.refresher.count).toBe(0);
    await place.launch();
    await pass(hours(23));
    expect(place.plugin.reads).toEqual(['0']);
  });

  it('is left alone once it has expired: the next launch asks', async ({expect}) => {
    await using place = await scene();
    await place.launch();
    vi.setSystemTime(Date.now() + days(8));
    await pass(hours(23));
    expect(place.plugin.reads).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that lives a minute is kept fresh as well', async ({expect}) => {
    await using place = await scene();
    await place.launch('0', {...info, freshFor: minutes(1), keepFor: minutes(10)});
    await pass(minutes(5));
    expect(place.plugin.reads.length).toBeGreaterThanOrEqual(5);
    expect(place.plugin.reads.length).toBeLessThanOrEqual(6);
  });
});

describe('many answers', () => {
  it('that are due together are asked for two at a time', async ({expect}) => {
    await using place = await scene();
    const gate = makeGate();
    place.plugin.answer = async () => {
      await gate.opened;
      return {value: 1, files: [], spans: [], unchanged: false};
    };
    vi.spyOn(Math, 'random').mockReturnValue(0); // no drift between them
    for (let item = 0; item < 20; item += 1) await place.launch(String(item));
    await pass(hours(22));
    expect(place.plugin.running).toBe(2);
    gate.open();
    await pass(seconds(1));
    expect(place.plugin.reads).toHaveLength(20);
    expect(place.plugin.peak).toBe(2);
  });

  it('after a long pause are asked for two at a time, once each', async ({expect}) => {
    await using place = await scene(days(5));
    for (let item = 0; item < 20; item += 1) await place.launch(String(item));
    vi.setSystemTime(Date.now() + days(2)); // the machine slept: no timer ran
    await pass(hours(22));
    await pass(minutes(5));
    expect(place.plugin.reads).toHaveLength(20);
    expect(place.plugin.peak).toBeLessThanOrEqual(2);
  });

  it('are watched up to five hundred, the ones used last', async ({expect}) => {
    await using place = await scene();
    for (let item = 0; item < 505; item += 1) {
      const ref = {plugin: 'p', name: 's', item: String(item)};
      const question: Question = {
        host: place.plugin.host,
        info,
        ref,
        launch: 'l' as LaunchId,
        key: questionKey(ref, ''),
      };
      place.refresher.use(question, {} as SharedLaunch);
    }
    expect(place.refresher.count).toBe(500);
  });

  it('one that a launch has asked for while it waited for its turn is not asked for again', async ({expect}) => {
    await using place = await scene();
    const gate = makeGate();
    place.plugin.answer = async () => {
      await gate.opened;
      return {value: 1, files: [], spans: [], unchanged: false};
    };
    vi.spyOn(Math, 'random').mockReturnValue(0);
    for (const item of ['0', '1', '2']) await place.launch(item);
    await pass(hours(22));
    const waiting = ['0', '1', '2'].find((item) => !place.plugin.reads.includes(item)) ?? '';
    const key = questionKey({plugin: 'git-identity', name: 'identity', item: waiting}, 'ann');
    const keeping = {step: 'x', freshFor: hours(24), keepFor: days(7), private: true};
    await place.cache.store(key, keeping, {value: 'launch', files: [], took: ms(1)});
    gate.open();
    await pass(seconds(1));
    expect(place.plugin.reads).not.toContain(waiting);
  });
});

describe('trouble', () => {
  it('a service that is down is asked with the pauses of a failure, and the good answer stays', async ({expect}) => {
    await using place = await scene();
    await place.launch();
    place.plugin.answer = async () => {
      throw new Error('no network');
    };
    await pass(hours(21.6));
    const before = place.plugin.reads.length;
    await pass(minutes(10));
    expect(place.plugin.reads.length - before).toBeLessThanOrEqual(11);
    expect(place.plugin.reads.length).toBeGreaterThan(2);
    const key = questionKey({plugin: 'git-identity', name: 'identity', item: '0'}, 'ann');
    const keeping = {step: 'x', freshFor: hours(24), keepFor: days(7), private: true};
    expect(await place.cache.look(key, keeping)).toMatchObject({state: 'fresh', entry: {value: 'first'}});
  });

  it('a store that takes nothing does not make us ask without a pause', async ({expect}) => {
    await using place = await scene();
    await place.launch();
    await pass(hours(21));
    const notStored = {
      v: 1,
      step: 'x',
      value: 1,
      readAt: 0,
      freshUntil: 0,
      expiresAt: 0,
      took: 0,
      files: [],
      private: true,
    };
    vi.spyOn(place.cache, 'store').mockResolvedValue(notStored as unknown as Entry);
    await pass(hours(1));
    expect(place.plugin.reads.length).toBeGreaterThan(0);
    expect(place.plugin.reads.length).toBeLessThanOrEqual(60);
  });

  it('a refresh does not make the plugin forget a launch that still runs, nor another refresh of it', async ({
    expect,
  }) => {
    await using place = await scene();
    place.plugin.known.add('launch');
    for (let item = 0; item < 6; item += 1) await place.launch(String(item));
    await pass(hours(22));
    expect(place.plugin.reads).toHaveLength(6);
    expect([...place.plugin.known]).toEqual(['launch']);
  });

  it('a plugin that cannot be asked costs its place in the list, not the daemon', async ({expect}) => {
    await using place = await scene();
    await place.launch();
    vi.spyOn(place.plugin, 'call').mockRejectedValue(new Error('broken'));
    await pass(hours(23));
    expect(place.plugin.known.size).toBe(0);
  });

  it('after stop there is no timer, not even from a plan that was under way', async ({expect}) => {
    await using place = await scene();
    await place.launch();
    const planning = place.refresher.plan();
    place.refresher.stop();
    await planning;
    expect(vi.getTimerCount()).toBe(0);
    expect(place.refresher.nextIn).toBeNull();
  });

  it('without anything in use there is no timer', async ({expect}) => {
    await using place = await scene();
    await place.refresher.plan();
    expect(vi.getTimerCount()).toBe(0);
    expect(place.refresher.nextIn).toBeNull();
  });
});
