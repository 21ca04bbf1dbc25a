import {rm} from 'node:fs/promises';
import {describe, it} from 'vitest';
import {AnswerCache} from '../../../src/cache/answer-cache.js';
import {openStores} from '../../../src/cache/stores.js';
import {after, askAlways, askCached, keepingOf, type Question, questionKey} from '../../../src/launch/asking.js';
import {startSteps, waitForNeeded} from '../../../src/launch/run-steps.js';
import type {CacheKey, LaunchId} from '../../../src/model/units.js';
import {days, hours, ms, seconds} from '../../../src/model/units.js';
import type {PluginHost} from '../../../src/steps/host.js';
import type {SharedLaunch, StepInfo} from '../../../src/steps/messages.js';
import {lockScope} from '../../../src/system/process-lock.js';
import {type Gate, makeGate} from '../../rig/gate.js';
import {type ManualClock, manualClock} from '../../rig/manual-clock.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const info: StepInfo = {
  plugin: 'plugin',
  name: 'step',
  kind: 'lookup',
  barrier: 'run',
  limit: seconds(60),
  required: false,
  freshFor: hours(24),
  keepFor: days(7),
  private: true,
};

/** A plugin side that answers when the gate opens, and counts. */
class FakePlugin {
  gate: Gate = makeGate();
  reads = 0;
  running = 0;
  peak = 0;
  limits: number[] = [];
  /** Called at the start of each read. */
  onRead: () => void = () => undefined;
  result: unknown = {ok: true, value: {value: 'asked', files: [], spans: [], unchanged: false}};

  get host(): PluginHost {
    return this as unknown as PluginHost;
  }

  async call(_name: string, _args: unknown, options: {limit: number}): Promise<unknown> {
    this.reads += 1;
    this.running += 1;
    this.peak = Math.max(this.peak, this.running);
    this.limits.push(options.limit);
    this.onRead();
    await this.gate.opened;
    this.running -= 1;
    return this.result;
  }
}

interface Scene extends AsyncDisposable {
  readonly plugin: FakePlugin;
  readonly cache: AnswerCache;
  readonly clock: ManualClock;
  readonly directory: string;
  readonly question: (item: string, more?: Partial<StepInfo>) => Question;
}

async function scene(): Promise<Scene> {
  const directory = await temporaryDirectory('steps');
  const clock = manualClock();
  const cache = new AnswerCache(await openStores(directory, undefined), clock, lockScope(directory));
  const plugin = new FakePlugin();
  return {
    plugin,
    cache,
    clock,
    directory,
    question: (item, more = {}) => {
      const ref = {plugin: 'plugin', name: 'step', item};
      const isCached = more.kind === undefined || more.kind === 'lookup' || more.kind === 'check';
      const key = isCached ? questionKey(ref, 'digest') : ('' as CacheKey);
      return {host: plugin.host, info: {...info, ...more}, ref, launch: 'launch' as LaunchId, key};
    },
    [Symbol.asyncDispose]: async () => {
      plugin.gate.open(); // a lock that is still held would meet the next directory of the same inode
      await settleDown();
      await rm(directory, {recursive: true, force: true});
    },
  };
}

const launchWith = (options: object = {}): SharedLaunch => ({options: {noCache: false, ...options}}) as SharedLaunch;

const stored = (value: string) => ({value, files: [], took: ms(700)});

/** Turns of the event loop in which whatever can go on without a gate or a timer does. */
const settleDown = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a launch', () => {
  it('uses a stale answer at once and has it refreshed behind', async ({expect}) => {
    await using place = await scene();
    const question = place.question('a');
    await place.cache.store(question.key, keepingOf(question), stored('old'));
    place.clock.pass(hours(25));
    const [running] = await startSteps(place, [question], launchWith());
    await waitForNeeded(place.clock, running === undefined ? [] : [running], place.clock.now() + 3_600_000);
    expect(running?.step).toMatchObject({state: 'stale', value: 'old', cost: 700});
    await settleDown();
    expect(place.plugin.reads).toBe(1);
    place.plugin.gate.open();
    await running?.settled;
    expect(running?.step).toMatchObject({state: 'stale', value: 'old'});
    expect(await place.cache.look(question.key, keepingOf(question))).toMatchObject({
      state: 'fresh',
      entry: {value: 'asked'},
    });
  });

  it('waits for a missing answer, and uses it', async ({expect}) => {
    await using place = await scene();
    const running = await startSteps(place, [place.question('a')], launchWith());
    place.plugin.gate.open();
    await waitForNeeded(place.clock, running, place.clock.now() + 3_600_000);
    expect(running[0]?.step).toMatchObject({state: 'read', value: 'asked'});
  });

  it('goes on at its deadline; what comes later changes nothing of it and is there for the next', async ({expect}) => {
    await using place = await scene();
    const question = place.question('a');
    const running = await startSteps(place, [question], launchWith());
    await waitForNeeded(place.clock, running, place.clock.now());
    expect(running[0]?.step.state).toBe('deferred');
    place.plugin.gate.open();
    await running[0]?.settled;
    expect(running[0]?.step).toMatchObject({state: 'deferred'});
    expect(running[0]?.step.value).toBeUndefined();
    expect((await place.cache.look(question.key, keepingOf(question))).state).toBe('fresh');
  });

  it('does not wait for a check', async ({expect}) => {
    await using place = await scene();
    const running = await startSteps(place, [place.question('a', {kind: 'check', barrier: 'none'})], launchWith());
    await waitForNeeded(place.clock, running, place.clock.now() + 3_600_000);
    expect(running[0]?.step.state).toBe('not-waited');
    place.plugin.gate.open();
    await running[0]?.settled;
    expect(running[0]?.step.state).toBe('not-waited');
  });

  it('that wants no stored answer asks, although one is fresh', async ({expect}) => {
    await using place = await scene();
    const question = place.question('a');
    await place.cache.store(question.key, keepingOf(question), stored('old'));
    place.clock.pass(hours(1));
    place.plugin.gate.open();
    const running = await startSteps(place, [question], launchWith({noCache: true}));
    await waitForNeeded(place.clock, running, place.clock.now() + 3_600_000);
    expect(running[0]?.step).toMatchObject({state: 'read', value: 'asked'});
    expect(place.plugin.reads).toBe(1);
  });

  it('does not ask again for what failed a moment ago, and says that it is an old failure', async ({expect}) => {
    await using place = await scene();
    place.plugin.result = {ok: false, fault: {reason: 'unreachable', detail: 'no network'}};
    place.plugin.gate.open();
    for (const remembered of [false, true]) {
      const running = await startSteps(place, [place.question('a')], launchWith());
      await waitForNeeded(place.clock, running, place.clock.now() + 3_600_000);
      expect(running[0]?.step).toMatchObject({state: 'failed', reason: 'unreachable', remembered});
    }
    expect(place.plugin.reads).toBe(1);
  });

  it('40 at once with one stale answer make one question and wait for none', async ({expect}) => {
    await using place = await scene();
    const question = place.question('a');
    await place.cache.store(question.key, keepingOf(question), stored('old'));
    place.clock.pass(hours(25));
    const all = await Promise.all(Array.from({length: 40}, () => startSteps(place, [question], launchWith())));
    for (const running of all) await waitForNeeded(place.clock, running, place.clock.now() + 3_600_000);
    expect(all.every(([running]) => running?.step.value === 'old')).toBe(true);
    place.plugin.gate.open();
    await Promise.all(all.flat().map(({settled}) => settled));
    expect(place.plugin.reads).toBe(1);
  });
});

describe('reads of one step', () => {
  it('are at most four at a time for a hundred launches, and all are answered', async ({expect}) => {
    await using place = await scene();
    const questions = Array.from({length: 100}, (_, index) => place.question(String(index)));
    const all = await Promise.all(questions.map((question) => startSteps(place, [question], launchWith())));
    await settleDown();
    expect(place.plugin.running).toBe(4);
    place.plugin.gate.open();
    await Promise.all(all.flat().map(({settled}) => settled));
    expect(place.plugin).toMatchObject({reads: 100, peak: 4});
    expect(all.flat().every(({step}) => step.state === 'read')).toBe(true);
  });

  it('that are never stored are at most four at a time as well', async ({expect}) => {
    await using place = await scene();
    place.plugin.result = {ok: true, value: {value: null, files: [], spans: [], edits: []}};
    const asking = Array.from({length: 20}, () => askAlways(place.question('a', {kind: 'secret'}), place.clock));
    await settleDown();
    expect(place.plugin.running).toBe(4);
    place.plugin.gate.open();
    expect((await Promise.all(asking)).every(({ok}) => ok)).toBe(true);
  });

  it('of another step do not wait for them', async ({expect}) => {
    await using place = await scene();
    const busy = Array.from({length: 4}, (_, index) => place.question(String(index)));
    await Promise.all(busy.map((question) => startSteps(place, [question], launchWith())));
    const other = {...place.question('x'), ref: {plugin: 'plugin', name: 'other'}, key: 'plugin/other#x' as CacheKey};
    await startSteps(place, [other], launchWith());
    await settleDown();
    expect(place.plugin.running).toBe(5);
    place.plugin.gate.open();
  });

  it('get what is left of their limit when their turn comes, and none when nothing is left', async ({expect}) => {
    await using place = await scene();
    const ask = async (item: string) =>
      await askCached(place.question(item), {state: 'missing', why: '', entry: undefined}, place.cache, place.clock);
    const first = ['0', '1', '2', '3'].map(ask);
    await settleDown();
    const [second, third] = [ask('4'), ask('5')];
    await settleDown();
    place.clock.pass(seconds(40));
    place.plugin.onRead = () => place.clock.pass(seconds(30));
    place.plugin.gate.open();
    await Promise.all(first);
    expect((await second).answered.kind).toBe('answer');
    expect((await third).answered).toMatchObject({kind: 'failure', reason: 'abandoned', remembered: false});
    expect(place.plugin.limits).toEqual([60_000, 60_000, 60_000, 60_000, 20_000]);
    expect(await place.cache.recentFailure(place.question('5').key)).toBeUndefined();
  });

  it('that wait for their turn are given up at the limit, whatever holds the others', async ({expect}) => {
    await using place = await scene();
    for (let item = 0; item < 4; item += 1) void startSteps(place, [place.question(String(item))], launchWith());
    await settleDown();
    const late = await askCached(
      place.question('late', {limit: ms(20)}),
      {state: 'missing', why: '', entry: undefined},
      place.cache,
      place.clock,
    );
    expect(late.answered).toMatchObject({kind: 'failure', reason: 'abandoned'});
    place.plugin.gate.open();
    await settleDown();
    expect(place.plugin.reads).toBe(4);
  });

  it('whose key another process is asking for are given up at the limit, without a question', async ({expect}) => {
    await using place = await scene();
    const question = place.question('a', {limit: ms(20)});
    const other = new AnswerCache(
      await openStores(place.directory, undefined),
      place.clock,
      lockScope(place.directory),
    );
    const theirs = askCached(place.question('a'), {state: 'missing', why: '', entry: undefined}, other, place.clock);
    await settleDown();
    const ours = await askCached(question, {state: 'missing', why: '', entry: undefined}, place.cache, place.clock);
    expect(ours.answered).toMatchObject({kind: 'failure', reason: 'abandoned'});
    expect(place.plugin.reads).toBe(1);
    place.plugin.gate.open();
    expect((await theirs).answered.kind).toBe('answer');
  });
});

describe('a wait', () => {
  it('longer than Node can count does not end at once', async ({expect}) => {
    const wait = after(days(365));
    expect(await Promise.race([wait.done, settleDown().then(() => 'still waiting')])).toBe('still waiting');
    wait.cancel();
  });

  it('for a time that is over ends', async ({expect}) => {
    expect(await after(ms(-5)).done).toBe('late');
  });
});
