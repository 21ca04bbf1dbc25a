import {once} from 'node:events';
import {appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {createServer, type Server} from 'node:net';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'vitest';
import {createPlugin} from '../../../src/client/create-plugin.js';
import {findDaemonProcesses} from '../../../src/client/daemon-process.js';
import {commandFinding, daemonFindings, launchesFinding, nodeFinding} from '../../../src/client/doctor-checks.js';
import {lastFailedStart} from '../../../src/client/ensure-daemon.js';
import {followLog, type LogEvent, readLog} from '../../../src/client/read-log.js';
import {isOf} from '../../../src/client/stored-answers.js';
import {temporarySocket} from '../../../src/daemon/address.js';
import {launchFlags, launchFlagTokens} from '../../../src/launch-flags.js';
import type {LaunchRecord} from '../../../src/model/record.js';
import {readReply} from '../../../src/protocol/asks.js';
import {runScript} from '../../rig/script-process.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory('commands');
});
afterEach(async () => await rm(directory, {recursive: true, force: true}));

describe('the process behind an address', () => {
  const listener = `
    import {createServer} from 'node:net';
    import {renameSync} from 'node:fs';
    createServer().listen(args[0], () => { if (args[1] !== undefined) renameSync(args[0], args[1]); say('listening'); });`;

  it('is found by the name it bound before it was renamed into place', async ({expect}) => {
    const path = join(directory, 'x.sock');
    await using script = runScript(listener, [temporarySocket(path, 1234567), path]);
    await script.line();
    expect(await findDaemonProcesses(path, undefined)).toMatchObject([{pid: script.pid}]);
  });

  it('is found by the lock of its state directory alone', async ({expect}) => {
    await using script = runScript(
      `const {lockScope} = await ours('system/process-lock'); await lockScope(args[0]).tryAcquire('daemon'); say('held'); setInterval(() => {}, 1e6);`,
      [directory],
    );
    await script.line();
    expect(await findDaemonProcesses(join(directory, 'none.sock'), directory)).toMatchObject([{pid: script.pid}]);
  });

  it('is never ourselves, a client, or the holder of a name that is only alike', async ({expect}) => {
    const path = join(directory, 'x.sock');
    const own: Server = createServer();
    own.listen(path);
    await once(own, 'listening');
    await using client = runScript(
      `import {connect} from 'node:net'; connect(args[0]).on('connect', () => say('there'));`,
      [path],
    );
    await client.line();
    await using alike = runScript(listener, [join(directory, '.x.sock.12a')]);
    await alike.line();
    expect(await findDaemonProcesses(path, undefined)).toEqual([]);
    own.close();
  });
});

describe('a reply', () => {
  const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

  it('is taken as it is when it fits the question', ({expect}) => {
    expect(readReply('stop', bytes({ok: true, value: {stopping: true}}))).toEqual({ok: true, value: {stopping: true}});
    const busy = {ok: false, failure: {reason: 'daemon-busy', launches: 2}};
    expect(readReply('stop', bytes(busy))).toEqual(busy);
  });

  it.for([
    null,
    7,
    'text',
    [],
    {},
    {ok: true},
    {ok: true, value: {}},
    {ok: false},
    {ok: false, failure: {reason: 'on-holiday'}},
  ])('%j is none', (value, {expect}) => {
    for (const kind of ['status', 'stop', 'retire'] as const) expect(readReply(kind, bytes(value))).toBeUndefined();
    expect(readReply('status', Buffer.from('{'))).toBeUndefined();
  });
});

describe('the log', () => {
  const line = (event: string): string => `${JSON.stringify({event})}\n`;

  it('is read over its rotation, newest events last', ({expect}) => {
    const path = join(directory, 'daemon.log');
    expect(readLog(path, 5)).toEqual([]);
    writeFileSync(`${path}.1`, line('a') + line('b'));
    writeFileSync(path, `${line('c')}{"cut`);
    expect(readLog(path, 3)).toEqual([{event: 'b'}, {event: 'c'}, {text: '{"cut'}]);
    expect(readLog(path, 0)).toEqual([]);
    expect(readLog(path, 100)).toHaveLength(4);
  });

  it('is followed from before it exists, over rotations, in whole lines', async ({expect}) => {
    const path = join(directory, 'log', 'daemon.log');
    const stop = new AbortController();
    const events: LogEvent[] = [];
    const heard = {wake: (): void => undefined};
    const following = followLog(
      path,
      (event) => {
        events.push(event);
        heard.wake();
      },
      stop.signal,
    );
    const hear = async (count: number): Promise<void> => {
      while (events.length < count) await new Promise<void>((resolve) => (heard.wake = resolve));
    };
    writeFileSync(path, line('a'));
    await hear(1);
    const text = line('ü漢');
    const cut = Buffer.from(text).indexOf('漢') + 1; // inside a character
    appendFileSync(path, Buffer.from(text).subarray(0, cut));
    appendFileSync(path, Buffer.concat([Buffer.from(text).subarray(cut), Buffer.from(line('b'))]));
    await hear(3);
    renameSync(path, `${path}.1`);
    appendFileSync(path, line('c'));
    await hear(4);
    stop.abort();
    await following;
    expect(events.map(({event}) => event)).toEqual(['a', 'ü漢', 'b', 'c']);
  });
});

describe('the last failed start', () => {
  it('is told until a start succeeds, and nothing broken is believed', ({expect}) => {
    expect(lastFailedStart(undefined)).toBeUndefined();
    expect(lastFailedStart(directory)).toBeUndefined();
    for (const text of ['', 'null', '[]', '{"at": "now", "detail": "x"}']) {
      writeFileSync(join(directory, 'daemon-failed.json'), text);
      expect(lastFailedStart(directory)).toBeUndefined();
    }
    const note = {at: Date.now() + 60_000, detail: 'no room'};
    writeFileSync(join(directory, 'daemon-failed.json'), JSON.stringify(note));
    writeFileSync(join(directory, 'daemon.json'), '{}');
    expect(lastFailedStart(directory)).toEqual(note);
    writeFileSync(join(directory, 'daemon-failed.json'), JSON.stringify({...note, at: 1}));
    expect(lastFailedStart(directory)).toBeUndefined();
  });
});

describe('a name of a step', () => {
  it.for([
    ['a/b', 'a/b', true],
    ['a/b', 'a/b[x]', true],
    ['a', 'a/b[x]', true],
    ['a/b[x]', 'a/b[x]', true],
    ['a/b', 'a/bc', false],
    ['a', 'ab/c', false],
    ['a/b[x]', 'a/b', false],
  ] as const)('%s means %s: %s', ([wanted, step, expected], {expect}) => {
    expect(isOf(wanted, step)).toBe(expected);
  });
});

describe('the flags of launches', () => {
  it('stand on a command line as they were parsed', ({expect}) => {
    expect(Object.keys(launchFlags).sort()).toEqual([
      'budget',
      'no-cache',
      'no-daemon',
      'no-optimizations',
      'runtime',
      'until',
      'until-limit',
      'verbose',
      'with',
      'without',
    ]);
    expect(
      launchFlagTokens({
        with: ['a', 'b'],
        'no-cache': true,
        verbose: false,
        budget: '2s',
        json: true,
        runtime: undefined,
      }),
    ).toEqual([...['--with', 'a', '--with', 'b'], '--no-cache', ...['--budget', '2s']]);
  });
});

describe('a new plugin', () => {
  it('is whole or not there at all', ({expect}) => {
    const target = join(directory, 'below', 'mine');
    expect(createPlugin('mine', target)).toMatchObject({ok: true, value: {name: 'mine', directory: target}});
    expect(readdirSync(target).sort()).toEqual([
      'README.md',
      'index.js',
      'index.test.mjs',
      'node_modules',
      'package.json',
    ]);
    expect(createPlugin('mine', target)).toMatchObject({ok: false, failure: {reason: 'directory-exists'}});
    writeFileSync(join(directory, 'file'), '');
    expect(createPlugin('mine', join(directory, 'file', 'mine'))).toMatchObject({ok: false});
  });

  it.for(['', 'A', 'a b', '../x', 'ä', '-x', 'process'])('is not named %j', (name, {expect}) => {
    expect(createPlugin(name, join(directory, 'x'))).toMatchObject({ok: false, failure: {reason: 'bad-argument'}});
    expect(existsSync(join(directory, 'x'))).toBe(false);
  });
});

describe('what doctor checks', () => {
  it('knows which Node is too old', ({expect}) => {
    expect(['20.18.9', '18.20.0', '20.19.0', '22.0.0', '100.1.1'].map((version) => nodeFinding(version).state)).toEqual(
      ['fault', 'fault', 'ok', 'ok', 'ok'],
    );
  });

  it('finds no command on an empty PATH', ({expect}) => {
    mkdirSync(join(directory, 'bin'));
    expect(commandFinding({PATH: join(directory, 'bin')}, directory)).toMatchObject({state: 'warning'});
  });

  it('takes a daemon that is not there as in order, one that failed to start or cannot be talked to as a fault', ({
    expect,
  }) => {
    const state = (failure: Parameters<typeof daemonFindings>[0]): string | undefined =>
      daemonFindings(failure, {value: true, origin: 'default', variable: null}).at(-1)?.state;
    expect(state({ok: false, failure: {reason: 'daemon-not-running', lastStart: undefined}})).toBe('ok');
    expect(state({ok: false, failure: {reason: 'daemon-not-running', lastStart: {at: 1, detail: 'x'}}})).toBe('fault');
    expect(state({ok: false, failure: {reason: 'daemon-unreachable', detail: 'x', daemon: undefined}})).toBe('fault');
  });

  it('counts reasons, the most frequent first', ({expect}) => {
    const launch = (via: string, viaReason?: string): LaunchRecord =>
      ({via, ...(viaReason === undefined ? {} : {viaReason})}) as LaunchRecord;
    expect(launchesFinding([])).toMatchObject({state: 'ok'});
    expect(
      launchesFinding([launch('daemon'), launch('daemon'), launch('in-process', 'a'), launch('in-process', 'b')]),
    ).toMatchObject({state: 'ok'});
    const mostly = launchesFinding([launch('in-process', 'a'), launch('in-process', 'b'), launch('in-process', 'b')]);
    expect(mostly).toMatchObject({state: 'warning', text: '0 of the newest 3; without it: 2 × b, 1 × a'});
  });
});
