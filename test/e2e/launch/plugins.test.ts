import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {fronts, LaunchRig, planners} from '../../rig/launch-rig.js';
import {linkPlugin, lookupPlugin} from '../../rig/linked-plugin.js';

const lines = async (path: string): Promise<number> =>
  (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '').length;

const healthy = lookupPlugin('healthy', `async () => 'fine'`);

/** Bad plugins of D11 by what their read does; `limit` keeps the hanging ones short. */
const bad: Readonly<Record<string, string>> = {
  throws: `() => { throw new Error('broken on purpose'); }`,
  rejects: `async () => { throw new Error('broken on purpose'); }`,
  'rejects later': `async () => { setTimeout(() => { Promise.reject(new Error('late')); throw new Error('later'); }, 5); return 'x'; }`,
  'never settles': `() => new Promise(() => {})`,
  exits: `async () => process.exit(0)`,
  'kills its own process': `async () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); }`,
  'kills its own group': `async () => { process.kill(0, 'SIGKILL'); return new Promise(() => {}); }`,
  loops: `async () => { for (;;); }`,
  floods: `async () => { process.stdout.write('x'.repeat(1_000_000)); console.log('{"launches":[]}'); return 'flooded'; }`,
  'returns a circle': `async () => { const circle = {}; circle.self = circle; return circle; }`,
  'returns a BigInt': `async () => 1n`,
  'returns a function': `async () => () => 1`,
};

describe.each(planners)('D11: a bad plugin, $front', ({daemon, env}) => {
  it.for(Object.keys(bad))(
    'that %s costs the launch nothing but its own answer',
    {timeout: 60_000},
    async (kind, {expect}) => {
      await using rig = await LaunchRig.create({env});
      await linkPlugin(rig, 'healthy', healthy);
      await linkPlugin(
        rig,
        'rotten',
        lookupPlugin('rotten', bad[kind] ?? '', 'limit: ms(400),').replace('limit: ms(3000),', ''),
      );
      const pid = daemon ? (await rig.startDaemon()).pid : undefined;
      let named = 0;
      for (let round = 0; round < 4; round += 1) {
        const {status, stdout, stderr} = await rig.run(['run', '--', 'sh', '-c', 'echo "$HEALTHY"; exit 7']);
        expect({status, stdout}).toEqual({status: 7, stdout: 'fine\n'});
        const lines = stderr.split('\n').filter((line) => line.includes('rotten')).length;
        expect(lines).toBeLessThanOrEqual(1);
        named += lines;
        expect(stderr).not.toMatch(/\n\s+at /);
      }
      const record = await rig.lastRecord();
      expect(record.steps.map(({step}) => step).sort()).toEqual(['healthy/answer', 'rotten/answer']);
      if (!['floods', 'rejects later'].includes(kind)) {
        // Once, or once by each of the daemon and a front that gave a busy daemon up; a plan that was given up takes its
        // notice along, so on a machine that busy nothing may be said.
        const isWhole = !daemon || (await rig.records()).every(({via}) => via === 'daemon');
        expect(isWhole ? [1, 2] : [0, 1, 2]).toContain(named);
        expect(record.steps.find(({step}) => step === 'rotten/answer')?.state).toMatch(/failed|timed-out/);
      }
      if (pid !== undefined) expect((await rig.status()).pid).toBe(pid);
    },
  );

  it('that cannot be loaded is named and harms nothing', async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    await linkPlugin(rig, 'healthy', healthy);
    await linkPlugin(rig, 'rotten', 'this is not javascript');
    const {status, stdout} = await rig.run(['run', '--', 'sh', '-c', 'echo "$HEALTHY"; exit 7']);
    expect({status, stdout}).toEqual({status: 7, stdout: 'fine\n'});
    expect((await rig.lastRecord()).notes.join('\n')).toContain('rotten');
  });
});

describe('C3: a source that fails at first', () => {
  let rig: LaunchRig;
  let calls: string;
  beforeAll(async () => {
    rig = await LaunchRig.create();
    calls = join(rig.root, 'calls');
    await linkPlugin(
      rig,
      'moody',
      lookupPlugin(
        'moody',
        `async () => {
      appendFileSync(${JSON.stringify(calls)}, 'call\\n');
      if (readFileSync(${JSON.stringify(join(rig.root, 'mood'))}, 'utf8') === 'bad') throw new Error('down');
      return 'up';
    }`,
      ),
    );
    await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  it('is not asked again by every launch meanwhile, and recovers without a restart', async ({expect}) => {
    await writeFile(join(rig.root, 'mood'), 'bad');
    for (let round = 0; round < 5; round += 1) {
      expect((await rig.run(['run', '--', 'sh', '-c', 'echo "[$MOODY]"'])).stdout).toBe('[]\n');
    }
    expect(await lines(calls)).toBe(1);
    await writeFile(join(rig.root, 'mood'), 'good');
    let stdout = '';
    while (stdout !== '[up]\n') ({stdout} = await rig.run(['run', '--', 'sh', '-c', 'echo "[$MOODY]"']));
    expect(await lines(calls)).toBe(2);
  });
});

describe('a question that the daemon’s own end cuts short', () => {
  it('is nobody’s failure: the next launch asks again, and says nothing', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NOTICES: 'always'}});
    const calls = join(rig.root, 'calls');
    await writeFile(calls, '');
    await linkPlugin(
      rig,
      'news',
      `
      import {appendFileSync} from 'node:fs';
      import {check, definePlugin, hours} from 'bootcut/plugin';
      export default definePlugin({name: 'news', steps: [check({name: 'news', freshFor: hours(1), keepFor: hours(2), key: () => [],
        read: () => { appendFileSync(${JSON.stringify(calls)}, 'call\\n'); return new Promise(() => {}); },
        parse: (value) => value, notice: () => undefined})]});`,
    );
    for (const round of [1, 2, 3]) {
      await rig.startDaemon();
      const {stderr} = await rig.served(['run', '--', 'true']);
      expect(stderr).toBe('');
      while ((await lines(calls)) < round) await new Promise((resolve) => setTimeout(resolve, 20)); // its file is all that tells
      expect((await rig.run(['daemon', 'stop'])).status).toBe(0);
    }
  }, 20_000);
});

describe.each(planners)('C6: many launches at once, $front', ({daemon, env}) => {
  it('ask once for one key', {timeout: 60_000}, async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    const calls = join(rig.root, 'calls');
    await linkPlugin(
      rig,
      'slow',
      lookupPlugin(
        'slow',
        `async () => {
      appendFileSync(${JSON.stringify(calls)}, 'call\\n');
      await new Promise((resolve) => setTimeout(resolve, 700));
      return 'answer';
    }`,
      ),
    );
    if (daemon) await rig.startDaemon();
    const launches = await Promise.all(
      Array.from({length: 20}, () => rig.run(['run', '--budget', '20s', '--', 'sh', '-c', 'echo "[$SLOW]"; exit 7'])),
    );
    expect(launches.map(({status}) => status)).toEqual(Array(20).fill(7));
    expect(await lines(calls)).toBe(1);
  });
});

describe('B3: the profile of overlapping work', () => {
  it('partitions wall time exactly and shows what overlapped, was cached, cut off and not waited for', async ({
    expect,
  }) => {
    await using rig = await LaunchRig.create();
    const waits = (time: number): string =>
      `async () => { await new Promise((resolve) => setTimeout(resolve, ${time})); return 'x'; }`;
    await linkPlugin(rig, 'first', lookupPlugin('first', waits(300)));
    await linkPlugin(rig, 'second', lookupPlugin('second', waits(300)));
    await linkPlugin(rig, 'third', lookupPlugin('third', waits(500)));
    await linkPlugin(rig, 'cut', lookupPlugin('cut', waits(60_000), 'limit: ms(350),').replace('limit: ms(3000),', ''));
    await linkPlugin(
      rig,
      'news',
      `
      import {check, definePlugin, hours} from 'bootcut/plugin';
      export default definePlugin({name: 'news', steps: [check({name: 'news', freshFor: hours(1), keepFor: hours(2), key: () => [],
        read: () => new Promise((resolve) => setTimeout(resolve, 2000, 'x')), parse: (value) => value, notice: () => undefined})]});`,
    );
    await rig.startDaemon();
    let started = performance.now();
    await rig.run(['run', '--', 'sleep', '0.4']);
    let outside = performance.now() - started;
    let record = await rig.lastRecord();
    // A front that gave a busy daemon up finds what the daemon has asked meanwhile: then from cold again.
    while (record.via !== 'daemon') {
      await rig.run(['cache', 'clear']);
      started = performance.now();
      await rig.run(['run', '--', 'sleep', '0.4']);
      outside = performance.now() - started;
      record = await rig.lastRecord();
    }
    const sum = record.phases.reduce((total, {from, to}) => total + to - from, 0);
    expect(sum).toBeCloseTo(record.total, 2);
    expect(record.total).toBeLessThanOrEqual(outside);
    const states = Object.fromEntries(record.steps.map(({step, state}) => [step, state]));
    expect(states).toEqual({
      'first/answer': 'read',
      'second/answer': 'read',
      'third/answer': 'read',
      'cut/answer': 'timed-out',
      'news/news': 'not-waited',
    });
    // they ran beside each other: the launch waited for the longest, not for the sum
    expect(record.waited).toBeLessThan(300 + 300 + 500);
    const {stdout} = await rig.run(['profile', '--json']);
    const [profile] = (JSON.parse(stdout) as {launches: {totalMs: number; phases: {durationMs: number}[]}[]}).launches;
    expect(profile?.totalMs).toBeCloseTo(record.total, 2);
    await rig.run(['run', '--', 'true']);
    const again = await rig.lastRecord();
    expect(again.steps.find(({step}) => step === 'third/answer')?.state).toBe('fresh');
    expect(again.waited).toBeLessThan(300);
  });

  it.for(fronts.filter(({name}) => name === 'node'))(
    'counts the start of our front, even a slow one, $front',
    async ({daemon, env}, {expect}) => {
      await using rig = await LaunchRig.create();
      const preload = await rig.script(
        'preload.cjs',
        'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);',
      );
      if (daemon) await rig.startDaemon();
      const started = performance.now();
      await rig.run(['run', '--', 'true'], {env: {...(await rig.frontWith(['--require', preload])), ...env}});
      const outside = performance.now() - started;
      const record = await rig.lastRecord();
      const client = record.phases.find(({name}) => name === 'client');
      expect((client?.to ?? 0) - (client?.from ?? 0)).toBeGreaterThanOrEqual(395);
      expect(record.total).toBeLessThanOrEqual(outside);
    },
  );
});

describe('a launch budget', () => {
  it('defers what is optional and unfinished, and says so', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(
      rig,
      'slow',
      lookupPlugin('slow', `async () => { await new Promise((resolve) => setTimeout(resolve, 1500)); return 'late'; }`),
    );
    await rig.startDaemon();
    expect((await rig.run(['run', '--budget', '100ms', '--', 'sh', '-c', 'echo "[$SLOW]"'])).stdout).toBe('[]\n');
    expect((await rig.lastRecord()).steps[0]).toMatchObject({step: 'slow/answer', state: 'deferred'});
    let stdout = '';
    while (stdout !== '[late]\n')
      ({stdout} = await rig.run(['run', '--budget', '0', '--', 'sh', '-c', 'echo "[$SLOW]"']));
    expect((await rig.lastRecord()).steps[0]).toMatchObject({state: 'fresh'});
  });

  it('does not let a launch start without a required answer, and says what to do', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(
      rig,
      'must',
      lookupPlugin('must', `async () => { throw new Error('the vault is sealed'); }`, 'required: true,'),
    );
    const {status, stderr, stdout} = await rig.run(['run', '--', 'echo', 'started']);
    expect({status, stdout}).toEqual({status: 125, stdout: ''});
    expect(stderr).toContain('must/answer is required for this launch and has no answer: the vault is sealed');
    expect((await rig.run(['run', '--without', 'must', '--', 'echo', 'started'])).stdout).toBe('started\n');
  });
});
