import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it, vi} from 'vitest';
import {AnswerCache} from '../../../src/cache/answer-cache.js';
import {openStores} from '../../../src/cache/stores.js';
import {ExpectedLaunches} from '../../../src/launch/expected-launches.js';
import type {ChosenOptimization} from '../../../src/launch/optimizations.js';
import type {Json} from '../../../src/model/json.js';
import {type LaunchId, ms} from '../../../src/model/units.js';
import {Ledger} from '../../../src/savings/ledger.js';
import {savingRows} from '../../../src/savings/report.js';
import type {CallHost} from '../../../src/steps/call-host.js';
import type {SharedLaunch} from '../../../src/steps/messages.js';
import {type ManualClock, manualClock} from '../../rig/manual-clock.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

/** Plugins of which every call is written down; a warm-up answers when the test says so, or is ended. */
class SeenHost implements CallHost {
  readonly sources = [];
  readonly known = new Set<string>();
  readonly warmed: {readonly subject: string; readonly ahead: boolean}[] = [];
  readonly aborted: string[] = [];
  said: Json = {read: 4096, connectMs: 3};

  remember({id}: SharedLaunch): void {
    this.known.add(id);
  }
  forget(id: LaunchId): void {
    this.known.delete(id);
  }
  call: CallHost['call'] = async (name, args, options) => {
    const {ref, ahead, launch} = args as {ref: {name: string}; ahead: boolean; launch: string};
    if (name !== 'warmUp' || !this.known.has(launch)) throw new Error(`${name} for ${launch}`);
    this.warmed.push({subject: ref.name, ahead});
    await new Promise<void>((resolve) => {
      options?.signal?.addEventListener('abort', () => {
        this.aborted.push(ref.name);
        resolve();
      });
    });
    return {ok: true, value: this.said as never};
  };
  async close(): Promise<void> {}
}

let state: string;
let clock: ManualClock;
let host: SeenHost;
let ledger: Ledger;
let expected: ExpectedLaunches;
let cache: AnswerCache;
let count = 0;

/** Always 0 is 'used' in the first half of a block and 'held-back' in the second; one of 0.9 the other way around. */
let random = 0;

beforeEach(async () => {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
  state = await temporaryDirectory('expected');
  clock = manualClock();
  host = new SeenHost();
  random = 0;
  writeSettings({holdback: 0});
  cache = new AnswerCache(await openStores(state, undefined), clock, undefined);
  expected = open();
});
afterEach(() => {
  expected.close();
  vi.useRealTimers();
});

const open = (): ExpectedLaunches => {
  ledger = new Ledger(join(state, 'savings'), () => random);
  return new ExpectedLaunches({
    clock,
    directory: state,
    ledger,
    cache,
    log: () => undefined,
    configDirectory: state,
    stateDirectory: state,
  });
};

const writeSettings = (values: Readonly<Record<string, Json>>): void =>
  writeFileSync(join(state, 'config.json'), JSON.stringify(values));

const optimization = (program: string): ChosenOptimization => ({
  host,
  info: {
    plugin: 'test',
    name: program,
    summary: '',
    warmsUp: true,
    warmsAhead: true,
    watches: false,
    prepares: false,
    limit: ms(1000),
  },
  subject: {
    digest: Buffer.from(program).toString('hex').padEnd(32, '0'),
    name: `test/${program}`,
    label: program,
    prepared: 'one',
  },
  state: 'used',
  trial: false,
  edits: [],
});

/** One launch from begin to end; says how many warm-ups it took over. */
const launch = (program: string, cwd = '/project', optimizations = [optimization(program)]): number => {
  count += 1;
  const shared = {id: String(count), cwd, env: {}} as unknown as SharedLaunch;
  const taken = expected.arrived({launch: shared, optimizations, steps: []}).length;
  clock.pass(ms(100));
  expected.ended({launch: shared});
  return taken;
};

/** Promises and `setImmediate` have had their turn. */
const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const pass = async (time: number): Promise<void> => {
  clock.pass(ms(time));
  vi.advanceTimersByTime(time);
  await settled();
};

const ahead = (): readonly string[] => host.warmed.map(({subject}) => subject);

describe('a launch is expected', () => {
  it('behind one that it has followed within seconds, and takes over what was warmed', async ({expect}) => {
    launch('compile');
    await pass(1000);
    expect(launch('run')).toBe(0);
    await pass(60_000);
    expect(ahead()).toEqual([]); // nothing had followed 'compile' when it ended
    launch('compile');
    expect(host.warmed).toEqual([{subject: 'run', ahead: true}]);
    await pass(1000);
    expect(launch('run')).toBe(1);
    expect(host.aborted).toEqual([]); // it is the launch's own now
  });

  it('not behind one that it has followed after a minute', async ({expect}) => {
    launch('compile');
    await pass(60_000);
    launch('run');
    await pass(60_000);
    launch('compile');
    expect(ahead()).toEqual([]);
  });

  it('behind itself, where a program is launched again and again', async ({expect}) => {
    launch('test');
    await pass(1000);
    launch('test');
    expect(ahead()).toEqual(['test']);
  });

  it('not behind one in another directory', async ({expect}) => {
    launch('compile', '/one');
    await pass(1000);
    launch('run', '/two');
    await pass(60_000);
    launch('compile', '/one');
    expect(ahead()).toEqual([]);
  });

  it('in a project that somebody enters: what was launched last there or below, and nothing else', async ({expect}) => {
    launch('old');
    await pass(60_000);
    launch('other', '/project-2');
    await pass(60_000);
    launch('one', '/project/part');
    await pass(60_000);
    launch('two');
    await pass(60_000);
    expect(expected.entered('/project')).toBe(2);
    expect(ahead()).toEqual(['one', 'two']);
    expect(expected.entered('/nowhere')).toBe(0);
  });

  it('by nobody, with the setting expect off or all optimizations off', async ({expect}) => {
    launch('one');
    for (const setting of ['expect', 'optimizations']) {
      writeSettings({[setting]: false});
      expect(expected.entered('/project')).toBe(0);
    }
    expect(ahead()).toEqual([]);
  });

  it('once, however often it is predicted, and three at a time at most', async ({expect}) => {
    for (const program of ['a', 'b', 'c', 'd']) {
      launch(program, `/${program}`);
      await pass(60_000);
    }
    for (const program of ['a', 'a', 'b', 'c', 'd']) expected.entered(`/${program}`);
    expect(ahead()).toEqual(['a', 'b', 'c']);
  });
});

describe('what does not come', () => {
  it('is ended, and its launch known to nobody any more', async ({expect}) => {
    launch('one');
    expected.entered('/project');
    expect(host.known.size).toBe(1);
    await pass(120_000);
    expect(host.aborted).toEqual(['one']);
    expect(host.known.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0); // nothing is left that would wake anybody
    expect(launch('one')).toBe(0);
  });

  it('three times in a row is expected no more, by a new daemon neither, until two launches come in half an hour', async ({
    expect,
  }) => {
    launch('one');
    for (let time = 0; time < 3; time += 1) {
      expect(expected.entered('/project')).toBe(1);
      await pass(120_000);
    }
    expect(expected.entered('/project')).toBe(0);
    expect(readFileSync(join(state, 'expected.json'), 'utf8')).not.toMatch(/project|one/);
    expected = open();
    await pass(7_200_000);
    launch('one');
    expect(expected.entered('/project')).toBe(0);
    await pass(60_000);
    launch('one');
    expect(expected.entered('/project')).toBe(1);
  });

  it('costs what savings says: how many came, and what was done', async ({expect}) => {
    launch('one');
    expected.entered('/project');
    await pass(120_000);
    expected.entered('/project');
    await pass(1000);
    const [run] = expected.arrived({
      launch: {id: 'x', cwd: '/project'} as SharedLaunch,
      optimizations: [optimization('one')],
      steps: [],
    });
    run?.end.abort(); // as the end of its launch does
    await settled();
    const [row] = savingRows(ledger.accounts());
    expect(row?.ahead).toEqual({expected: 2, came: 1, counts: {read: 8192}});
  });
});

describe('a launch whose turn it is to be held back', () => {
  it('finds nothing warmed, and is held back when it comes', async ({expect}) => {
    writeSettings({holdback: 20});
    random = 0.9;
    launch('one');
    expect(expected.entered('/project')).toBe(0);
    expect(ahead()).toEqual([]);
    random = 0; // what is drawn anew would be 'used'
    expect(ledger.draw(optimization('one').subject, 20)).toEqual({arm: 'held-back', trial: true});
    expect(ledger.draw(optimization('one').subject, 20)).toEqual({arm: 'used', trial: true});
  });

  it('and one that is drawn to be used is used, even if it comes late', async ({expect}) => {
    writeSettings({holdback: 20});
    launch('one');
    expect(expected.entered('/project')).toBe(1);
    await pass(120_000);
    random = 0.9;
    expect(ledger.draw(optimization('one').subject, 20)).toEqual({arm: 'used', trial: true});
  });

  it('a person’s switch counts more than what was drawn', async ({expect}) => {
    launch('one');
    expect(expected.entered('/project')).toBe(1);
    await pass(120_000); // there is an account now
    expected.entered('/project');
    ledger.switch(optimization('one').subject.digest, 'off', 0);
    expect(ledger.draw(optimization('one').subject, 20).arm).toBe('switched-off');
  });
});
