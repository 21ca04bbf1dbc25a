import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it, vi} from 'vitest';
import {AnswerCache, AskFailure} from '../../../src/cache/answer-cache.js';
import {openStores} from '../../../src/cache/stores.js';
import {keepingOf, type Question, questionKey} from '../../../src/launch/asking.js';
import {ExpectedLaunches} from '../../../src/launch/expected-launches.js';
import type {StepProgress} from '../../../src/launch/run-steps.js';
import {days, hours, type LaunchId, ms, seconds} from '../../../src/model/units.js';
import {Ledger} from '../../../src/savings/ledger.js';
import type {CallHost} from '../../../src/steps/call-host.js';
import type {SharedLaunch, StepInfo} from '../../../src/steps/messages.js';
import {type ManualClock, manualClock} from '../../rig/manual-clock.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const info: StepInfo = {
  plugin: 'asker',
  name: 'answer',
  kind: 'lookup',
  barrier: 'run',
  limit: seconds(3),
  required: false,
  freshFor: hours(1),
  keepFor: days(1),
  private: true,
  asks: true,
};
const ref = {plugin: 'asker', name: 'answer'};

/** Holds a connection for each call until it is ended; `account` is what the answer depends on. */
class SeenHost implements CallHost {
  readonly sources = [];
  readonly known = new Set<string>();
  account = 'ann';
  connected = 0;
  ended = 0;

  remember({id}: SharedLaunch): void {
    this.known.add(id);
  }
  forget(id: LaunchId): void {
    this.known.delete(id);
  }
  call: CallHost['call'] = async (name, args, options) => {
    const {launch} = args as {launch: LaunchId};
    if (!this.known.has(launch)) throw new Error(`${name} for ${launch}`);
    if (name === 'inspect') return {ok: true, value: [{ref, kind: 'wanted', key: this.account}] as never};
    if (name !== 'connect') throw new Error(name);
    this.connected += 1;
    await new Promise<void>((resolve) => options?.signal?.addEventListener('abort', () => resolve()));
    this.ended += 1;
    return {ok: true, value: {'far:443': {connected: 1, used: 0}}};
  };
  async close(): Promise<void> {}
}

let state: string;
let clock: ManualClock;
let host: SeenHost;
let cache: AnswerCache;
let expected: ExpectedLaunches;
let count = 0;

beforeEach(async () => {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
  state = await temporaryDirectory('expected');
  clock = manualClock();
  host = new SeenHost();
  cache = new AnswerCache(await openStores(state, undefined), clock, undefined);
  expected = new ExpectedLaunches({
    clock,
    directory: state,
    ledger: new Ledger(join(state, 'savings')),
    cache,
    log: () => undefined,
    configDirectory: state,
    stateDirectory: state,
  });
});
afterEach(() => {
  expected.close();
  vi.useRealTimers();
});

const question = (launch: LaunchId): Question => ({host, info, ref, launch, key: questionKey(ref, host.account)});

/** One launch whose look-up is answered, during which the account may change; says what it took over. */
const launch = async (accountAtEnd = host.account): Promise<number> => {
  count += 1;
  const shared = {id: String(count), cwd: '/project', runtime: 'vm', verb: 'shell', env: {}} as unknown as SharedLaunch;
  const asked = question(shared.id);
  const steps = [{question: asked} as StepProgress];
  const taken = expected.arrived({launch: shared, optimizations: [], steps}).length;
  await cache.store(asked.key, keepingOf(asked), {value: 'answer', files: [], took: ms(1)});
  host.account = accountAtEnd;
  expected.ended({launch: shared});
  return taken;
};

/** Promises, `setImmediate` and the store's files have had their turn. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const pass = async (time: number): Promise<void> => {
  clock.pass(ms(time));
  vi.advanceTimersByTime(time);
  await settled();
};

const enter = async (): Promise<void> => {
  expected.entered('/project');
  await settled();
};

describe('connections for the look-ups of an expected launch', () => {
  it('are made where it would have to ask, and are its own when it comes', async ({expect}) => {
    await launch();
    host.account = 'bob'; // a log-in: the next launch has another question
    await enter();
    await vi.waitFor(() => expect(host.connected).toBe(1), {interval: 1});
    expect(await launch()).toBe(1);
    expect(host.ended).toBe(0);
  });

  it('are made behind the launch that it has followed', async ({expect}) => {
    await launch();
    await pass(1000);
    await launch();
    await pass(100_000);
    expect(host.connected).toBe(0); // everything was fresh
    await launch('bob');
    await vi.waitFor(() => expect(host.connected).toBe(1), {interval: 1});
  });

  it('are not made for answers that are there, stale ones too, nor where somebody has failed lately', async ({
    expect,
  }) => {
    await launch();
    await enter();
    await pass(7_200_000);
    await enter();
    host.account = 'bob';
    const asked = question('x' as LaunchId);
    const fail = async () => await Promise.reject(new AskFailure('unreachable', 'down'));
    const missing = await cache.look(asked.key, keepingOf(asked));
    await cache.ask(asked.key, keepingOf(asked), {ask: fail, seen: missing, signal: AbortSignal.timeout(1000)});
    expect(await cache.recentFailure(asked.key)).toBeDefined();
    await enter();
    expect(host.connected).toBe(0);
    expect(host.known.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0); // such a launch is not expected: nothing would come of it
  });

  it('are not made for look-ups that do not say whom they ask, nor with the setting expect off', async ({expect}) => {
    const {asks: _, ...silent} = info;
    count += 1;
    const shared = {id: String(count), cwd: '/project', runtime: 'vm', verb: 'shell'} as unknown as SharedLaunch;
    const steps = [{question: {...question(shared.id), info: silent}} as StepProgress];
    expect(expected.arrived({launch: shared, optimizations: [], steps})).toEqual([]);
    await launch();
    host.account = 'bob';
    writeFileSync(join(state, 'config.json'), JSON.stringify({expect: false}));
    await enter();
    expect(host.connected).toBe(0);
  });

  it('are given up when it does not come, and nothing is left that would wake anybody', async ({expect}) => {
    await launch();
    host.account = 'bob';
    await enter();
    await vi.waitFor(() => expect(host.connected).toBe(1), {interval: 1});
    await pass(120_000);
    expect([host.ended, host.known.size, vi.getTimerCount()]).toEqual([1, 0, 0]);
  });
});
