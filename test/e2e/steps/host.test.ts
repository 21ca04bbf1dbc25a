import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it, vi} from 'vitest';
import {ms} from '../../../src/model/units.js';
import type {CallName} from '../../../src/steps/messages.js';
import {ample, hostPlugin, launchId, pluginSource} from './plugin-host.js';

interface Oddity {
  readonly name: string;
  readonly source: string;
  /** What the odd step comes to. */
  readonly reason: string | RegExp;
  readonly detail?: string | RegExp;
  /** The thread survives it, so that the same plugin's other step answers at once. */
  readonly survives: boolean;
}

const oddities: readonly Oddity[] = [
  {
    name: 'throws',
    source: pluginSource(`() => { throw new Error('odd\\nmore') }`),
    reason: 'threw',
    detail: 'odd',
    survives: true,
  },
  {
    name: 'rejects',
    source: pluginSource(`async () => { throw new TypeError('odd') }`),
    reason: 'threw',
    survives: true,
  },
  {
    name: 'throws undefined',
    source: pluginSource(`async () => { throw undefined }`),
    reason: 'threw',
    detail: 'undefined',
    survives: true,
  },
  {
    name: 'throws a bare object',
    source: pluginSource(`async () => { throw Object.create(null) }`),
    reason: 'threw',
    survives: true,
  },
  {
    name: 'throws an error whose message throws',
    source: pluginSource(`async () => { throw Object.defineProperty(new Error(), 'message', {get() { throw 1 }}) }`),
    reason: 'threw',
    survives: true,
  },
  {
    name: 'throws a NoAnswer with functions in it',
    source: pluginSource(
      `async () => { throw Object.assign(new Error('x'), {name: 'NoAnswer', reason: () => 1, retryAfter: () => 1}) }`,
    ),
    reason: 'threw',
    survives: true,
  },
  {
    name: 'throws its token',
    source: pluginSource(`async () => { throw new Error('GET https://u:SECRET1@h/x with ghp_SECRET1234567890') }`),
    reason: 'threw',
    detail: /^(?!.*SECRET)/,
    survives: true,
  },
  {
    name: 'rejects from a timer and never settles',
    source: pluginSource(
      `() => { setTimeout(() => Promise.reject(new Error('late')), 1); return new Promise(() => {}) }`,
    ),
    reason: 'timed-out',
    survives: true,
  },
  {
    name: 'throws from a timer and never settles',
    source: pluginSource(`() => { setTimeout(() => { throw null }, 1); return new Promise(() => {}) }`),
    reason: 'timed-out',
    survives: true,
  },
  {name: 'never settles', source: pluginSource(`() => new Promise(() => {})`), reason: 'timed-out', survives: true},
  {name: 'exits', source: pluginSource(`() => process.exit(0)`), reason: 'plugin-ended', survives: false},
  {name: 'loops for ever', source: pluginSource(`() => { for (;;); }`), reason: 'timed-out', survives: false},
  {
    name: 'waits for ever without giving its thread back',
    source: pluginSource(`() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`),
    reason: 'timed-out',
    survives: false,
  },
  {
    name: 'fills its memory',
    source: pluginSource(`() => { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())); }`),
    reason: /plugin-ended|timed-out/,
    survives: false,
  },
  {
    name: 'answers with something circular',
    source: pluginSource(`async () => { const a = {}; a.a = a; return a }`),
    reason: 'malformed',
    survives: true,
  },
  {name: 'answers with a big integer', source: pluginSource(`async () => 1n`), reason: 'malformed', survives: true},
  {name: 'answers with a function', source: pluginSource(`async () => () => 1`), reason: 'malformed', survives: true},
  {
    name: 'answers with a function inside',
    source: pluginSource(`async () => ({name: 'x', f: () => 1})`),
    reason: 'malformed',
    survives: true,
  },
  {name: 'answers with nothing', source: pluginSource(`async () => undefined`), reason: 'malformed', survives: true},
  {name: 'answers with NaN', source: pluginSource(`async () => ({age: NaN})`), reason: 'malformed', survives: true},
  {name: 'answers with a date', source: pluginSource(`async () => new Date()`), reason: 'malformed', survives: true},
  {
    name: 'answers with a getter that throws',
    source: pluginSource(`async () => ({get name() { throw new Error('odd') }})`),
    reason: 'threw',
    survives: true,
  },
  {
    name: 'answers with a then that throws',
    source: pluginSource(`async () => ({then() { throw new Error('odd') }})`),
    reason: 'threw',
    survives: true,
  },
];

describe('a plugin whose step', () => {
  for (const {name, source, reason, detail, survives} of oddities) {
    it(`${name} fails alone: its neighbour answers, and so does it afterwards`, async ({expect}) => {
      await using odd = await hostPlugin(source);
      await using healthy = await hostPlugin(pluginSource(`async () => 'healthy'`));
      expect(await odd.host.call('describe', {}, {limit: ms(ample)})).toMatchObject({ok: true});
      // What fails by itself has all the time it needs; only what never ends is cut off.
      const limit = reason === 'timed-out' ? 200 : ample;
      const [bad, good] = await Promise.all([odd.read(limit), healthy.read(ample)]);
      expect(good).toMatchObject({ok: true, value: {value: 'healthy'}});
      expect(bad).toMatchObject({ok: false, fault: {reason: expect.stringMatching(reason)}});
      if (detail !== undefined && !bad.ok) expect(bad.fault.detail).toMatch(detail);
      const after = await odd.read(ample, 'fine');
      // A thread that hangs is ended a moment after its call was answered for: a call in between ends with it.
      const again = after.ok ? after : await odd.read(ample, 'fine');
      expect(again).toMatchObject({ok: true, value: {value: 'fine'}});
      expect(odd.events.some((event) => event === 'plugin-thread-hung' || event === 'plugin-thread-ended')).toBe(
        !survives,
      );
    });
  }

  it('writes a megabyte to stdout and stderr, and a fake report, puts nothing on ours', async ({expect}) => {
    await using odd = await hostPlugin(
      pluginSource(`async () => {
        process.stdout.write('x'.repeat(1e6)); process.stderr.write('x'.repeat(1e6));
        console.log('{"v": 1, "outcome": {"kind": "exited", "code": 0}}'); console.error('x');
        return 'said';
      }`),
    );
    const written: unknown[] = [];
    const [stdout, stderr] = [process.stdout.write.bind(process.stdout), process.stderr.write.bind(process.stderr)];
    process.stdout.write = process.stderr.write = (chunk: unknown) => written.push(chunk) > 0;
    try {
      expect(await odd.read(ample)).toMatchObject({ok: true, value: {value: 'said'}});
    } finally {
      process.stdout.write = stdout;
      process.stderr.write = stderr;
    }
    expect(written).toEqual([]);
  });

  it('posts messages of its own to our port and writes into our memory ends nobody', async ({expect}) => {
    // Replaced for the whole test: with a guard that fails, the real one would end every process of this machine.
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    try {
      const odd = await hostPlugin(
        pluginSource(
          `async () => {
            for (const message of [null, undefined, 5, 'x', {}, {kind: 'result'}, {kind: 'none', id: 1}]) parentPort.postMessage(message);
            [2e9, 1, -1, -2].forEach((pid, slot) => { new Int32Array(workerData.children)[slot] = pid; });
            return 'said';
          }`,
          {before: `import {parentPort, workerData} from 'node:worker_threads';`},
        ),
      );
      expect(await odd.read(ample)).toMatchObject({ok: true, value: {value: 'said'}});
      await odd.host.close();
      // The one that could be a process group shows that the replacement is in force.
      expect(kill.mock.calls).toEqual([[-2_000_000_000, 'SIGKILL']]);
    } finally {
      kill.mockRestore();
    }
  });
});

describe('a plugin that', () => {
  const atImport: readonly (readonly [string, string, RegExp])[] = [
    ['throws', `throw new Error('odd')`, /cannot be loaded: odd/],
    ['throws a bare object', `throw Object.create(null)`, /cannot be loaded/],
    ['has a syntax error', `export default {`, /cannot be loaded/],
    ['imports what is not there', `import 'nothing-of-that-name'`, /cannot be loaded/],
    ['exports no plugin', `export default 5`, /not a plugin/],
    ['exports nothing', `export const x = 1`, /not a plugin/],
    [
      'exports a plugin whose getter throws',
      `export default {name: 'odd', get steps() { throw new Error('odd') }}`,
      /odd/,
    ],
    ['names two steps alike', pluginSource('async () => 1').replace("'fine'", "'step'"), /two steps/],
    ['names a step with a slash', pluginSource('async () => 1').replace("'fine'", "'a/b'"), /steps\.1\.name/],
    ['has a step without a read', pluginSource('undefined'), /steps\.0\.read/],
  ];
  for (const [name, source, fault] of atImport) {
    it(`${name} at import is named with what is wrong, and has no steps`, async ({expect}) => {
      await using odd = await hostPlugin(source);
      expect(await odd.host.call('describe', {}, {limit: ms(ample)})).toMatchObject({
        ok: true,
        value: [{name: 'odd-package', steps: [], runtimes: [], fault: expect.stringMatching(fault)}],
      });
    });
  }

  it('exits at import ends its thread only', async ({expect}) => {
    await using odd = await hostPlugin('process.exit(0)');
    expect(await odd.host.call('describe', {}, {limit: ms(ample)})).toMatchObject({
      ok: false,
      fault: {reason: 'plugin-ended'},
    });
  });

  it('loops at import costs the limit, and its thread is ended', async ({expect}) => {
    await using odd = await hostPlugin('for (;;);');
    expect(await odd.host.call('describe', {}, {limit: ms(200)})).toMatchObject({
      ok: false,
      fault: {reason: 'timed-out'},
    });
    // A thread that had not come to its loop yet when it was looked at is found out at the next call.
    const reason = async (): Promise<string> => {
      const result = await odd.host.call('describe', {}, {limit: ms(200)});
      return result.ok ? 'answered' : result.fault.reason;
    };
    while ((await reason()) === 'timed-out');
    expect(odd.events).toContain('plugin-thread-hung');
  });

  it('fails three times in a row rests', async ({expect}) => {
    await using odd = await hostPlugin(pluginSource(`() => process.exit(0)`));
    for (let time = 0; time < 3; time += 1) await odd.read(ample);
    expect(await odd.read(ample, 'fine')).toMatchObject({ok: false, fault: {detail: expect.stringMatching(/rests/)}});
    expect(odd.events).toEqual(['plugin-thread-ended', 'plugin-thread-ended', 'plugin-thread-ended']);
  });

  const odd: readonly (readonly [string, string, string])[] = [
    ['a key that is a promise', `key: async () => ['x'],`, 'broken'],
    ['a key with an object in it', `key: () => [{account: 1}],`, 'broken'],
    ['a key that is nothing', `key: () => undefined,`, 'broken'],
    ['a key with a function in it', `key: () => [() => 1],`, 'broken'],
    ['a when that throws', `when: () => { throw new Error('odd') },`, 'broken'],
    ['items that are no list', `items: () => 5,`, 'broken'],
    ['no items', `items: () => [],`, 'skipped'],
    ['a when that says no', `when: () => false,`, 'skipped'],
  ];
  for (const [name, field, kind] of odd) {
    it(`has a step with ${name} has that step ${kind}, and its other one wanted`, async ({expect}) => {
      const source = pluginSource('async () => 1').replace(
        'parse: (stored) => stored,',
        `parse: (stored) => stored, ${field}`,
      );
      await using plugin = await hostPlugin(source);
      const steps = ['step', 'fine'].map((step) => ({plugin: 'odd', name: step}));
      expect(await plugin.host.call('inspect', {launch: launchId, steps}, {limit: ms(ample)})).toMatchObject({
        ok: true,
        value: [{kind}, {kind: 'wanted'}],
      });
    });
  }

  it('is linked from anywhere may import bootcut/plugin', async ({expect}) => {
    await using linked = await hostPlugin(
      `import {definePlugin, lookup, hours} from 'bootcut/plugin';
       export default definePlugin({name: 'odd', steps: [lookup({
         name: 'step', neededBy: 'run', freshFor: hours(1), keepFor: hours(2), key: () => [], parse: String, read: async () => 'ours',
       })]});`,
    );
    expect(await linked.read(ample)).toMatchObject({ok: true, value: {value: 'ours'}});
  });
});

/** A step that starts a program that says its pid in a file and goes on for ever, and then `then`. */
const withChild = (then: string): string =>
  pluginSource(
    `async (launch, {signal}) => {
       const child = run(launch, ['sh', '-c', 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000'], {signal: new AbortController().signal});
       while (!existsSync(launch.cwd + '/pid')) await new Promise((resolve) => setImmediate(resolve));
       ${then}
     }`,
    {before: `import {run} from 'bootcut/plugin'; import {existsSync} from 'node:fs';`},
  );

/** Resolves when the process is gone: its end is seen by its pid's disappearance from /proc, looked for turn by turn. */
const gone = async (pid: number): Promise<void> => {
  while (existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

describe('what a plugin has started', () => {
  for (const [name, then] of [
    ['exits', 'process.exit(0);'],
    ['hangs', 'for (;;);'],
  ] as const) {
    it(`ends with its thread when that ${name}`, async ({expect}) => {
      await using odd = await hostPlugin(withChild(then));
      const result = await odd.read(5000);
      expect(result.ok).toBe(false);
      await gone(Number(readFileSync(join(odd.directory, 'work', 'pid'), 'utf8')));
    });
  }

  it('ends when the host is closed, and a call under way is told', async ({expect}) => {
    const odd = await hostPlugin(withChild('await child;'));
    const result = odd.read(ample);
    const path = join(odd.directory, 'work', 'pid');
    let early: unknown;
    void result.then((value) => (early = value));
    while (!existsSync(path) && early === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(early).toBeUndefined();
    await odd.host.close();
    expect(await result).toMatchObject({ok: false, fault: {reason: 'abandoned'}});
    await gone(Number(readFileSync(path, 'utf8')));
    expect(await odd.read(ample)).toMatchObject({ok: false, fault: {reason: 'abandoned'}});
  });
});

describe('a call', () => {
  it('is aborted at its limit, and the plugin is told so', async ({expect}) => {
    await using odd = await hostPlugin(
      pluginSource(
        `(launch, {signal}) => new Promise((_, reject) => signal.addEventListener('abort', () => {
        writeFileSync(launch.cwd + '/aborted', ''); reject(new Error('late'));
      }))`,
        {before: `import {writeFileSync} from 'node:fs';`},
      ),
    );
    expect(await odd.host.call('describe', {}, {limit: ms(ample)})).toMatchObject({ok: true});
    expect(await odd.read(200)).toMatchObject({ok: false, fault: {reason: 'timed-out'}});
    expect(await odd.read(ample, 'fine')).toMatchObject({ok: true});
    while (!existsSync(join(odd.directory, 'work', 'aborted'))) await new Promise((resolve) => setImmediate(resolve));
  });

  it('that nobody wants any more is answered at once, before and after it began', async ({expect}) => {
    await using odd = await hostPlugin(pluginSource(`() => new Promise(() => {})`));
    const args = {launch: launchId, ref: {plugin: 'odd', name: 'step'}, etag: undefined, previous: undefined};
    const controller = new AbortController();
    const call = odd.host.call('read', args, {limit: ms(ample), signal: controller.signal});
    controller.abort();
    expect(await call).toMatchObject({ok: false, fault: {reason: 'abandoned'}});
    expect(await odd.host.call('read', args, {signal: controller.signal})).toMatchObject({
      ok: false,
      fault: {reason: 'abandoned'},
    });
  });

  it('of a kind, launch, step or runtime that is not there is a fault, not a crash', async ({expect}) => {
    await using odd = await hostPlugin(pluginSource(`async () => 1`));
    expect(await odd.host.call('nothing' as CallName, {}, {limit: ms(ample)})).toMatchObject({ok: false});
    expect(await odd.read(ample, 'nothing')).toMatchObject({
      ok: false,
      fault: {detail: expect.stringMatching(/no step/)},
    });
    odd.host.forget(launchId);
    expect(await odd.read(ample)).toMatchObject({ok: false, fault: {detail: expect.stringMatching(/not known/)}});
  });
});
