import {mkdirSync, rmSync} from 'node:fs';
import {appendFile, mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {describe, it} from 'vitest';
import {buildId} from '../../../src/system/build-id.js';
import {bootcut, LaunchRig, quoted} from '../../rig/launch-rig.js';
import {type Finished, run} from '../../rig/program.js';
import {addressOf} from './impostor.js';
import {installAs} from './other-build.js';

const older = '0.0.1+1000000000.0ldc0de0';
const newer = '99.0.0+1999999999.00c0ffee';

const as = (rig: LaunchRig, build: string): ((...args: readonly string[]) => Promise<Finished>) => {
  const command = installAs(join(rig.root, `build-${build}`), build);
  return (...args) => run([command, ...args], {env: rig.environment(), cwd: rig.dir});
};

describe('daemon start', () => {
  it('is content with a daemon that runs already', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const first = await rig.run(['daemon', 'start', '--json']);
    const {came, status} = JSON.parse(first.stdout) as {came: string; status: {pid: number}};
    expect(came).toBe('started');
    const second = await rig.run(['daemon', 'start']);
    expect(second).toMatchObject({
      status: 0,
      stderr: '',
      stdout: `The daemon was running already: process ${status.pid}.\n`,
    });
  });

  it('replaces an idle daemon of an older build', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const old = JSON.parse((await as(rig, older)('daemon', 'start', '--json')).stdout) as {
      status: {pid: number; build: string};
    };
    expect(old.status.build).toBe(older);
    const status = await rig.run(['daemon', 'status']);
    expect(status.stdout).toContain(older);
    expect(status.stdout).toContain(buildId);
    const started = await rig.run(['daemon', 'start']);
    expect(started).toMatchObject({status: 0, stderr: ''});
    expect(started.stdout).toContain('in the place of an older one');
    expect(await rig.status()).toMatchObject({build: buildId});
  });

  it('leaves an older daemon that follows a launch where it is, and says so', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const old = as(rig, older);
    await old('daemon', 'start');
    const gate = join(rig.root, 'gate');
    await rig.shell(`mkfifo ${quoted(gate)}`);
    const launch = old('run', '--', 'sh', '-c', `echo begun >${quoted(gate)}; read line <${quoted(gate)}; exit 7`);
    await rig.shell(`read line <${quoted(gate)}`);
    const started = await rig.run(['daemon', 'start']);
    expect(started).toMatchObject({status: 0, stderr: ''});
    expect(started.stdout).toContain('follows 1 launch');
    expect(await rig.status()).toMatchObject({build: older});
    await rig.shell(`echo on >${quoted(gate)}`);
    expect(await launch).toMatchObject({status: 7, stderr: ''});
  });

  it('leaves a newer daemon alone, and stop ends it all the same', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await as(rig, newer)('daemon', 'start');
    const started = await rig.run(['daemon', 'start']);
    expect(started).toMatchObject({status: 0, stderr: ''});
    expect(started.stdout).toContain('It is newer.');
    expect(await rig.status()).toMatchObject({build: newer});
    expect(JSON.parse((await rig.run(['daemon', 'stop', '--json'])).stdout)).toMatchObject({how: 'asked'});
    expect(await rig.daemons()).toEqual([]);
  });
});

describe('daemon status', () => {
  it('says why the last start failed, until one succeeds', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const address = addressOf(rig);
    mkdirSync(join(address, 'in the way'), {recursive: true});
    expect((await rig.run(['daemon', 'start'])).status).toBe(1);
    rmSync(address, {recursive: true});
    const after = await rig.run(['daemon', 'status']);
    expect(after.status).toBe(1);
    expect(after.stderr).toContain('The last start failed');
    await rig.startDaemon();
    await rig.run(['daemon', 'stop']);
    expect((await rig.run(['daemon', 'status'])).stderr).not.toContain('failed');
  });
});

describe('daemon restart', () => {
  it('starts one where none was, and another one where one was', async ({expect}) => {
    await using rig = await LaunchRig.create();
    expect(await rig.run(['daemon', 'restart'])).toMatchObject({status: 0, stderr: ''});
    const {pid} = await rig.status();
    expect(await rig.run(['daemon', 'restart'])).toMatchObject({status: 0, stderr: ''});
    expect((await rig.status()).pid).not.toBe(pid);
    expect(await rig.daemons()).toHaveLength(1);
  });
});

describe('daemon logs', () => {
  it('shows the newest events of a daemon that has ended, as text and as JSON', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    await rig.run(['daemon', 'stop']);
    const events = JSON.parse((await rig.run(['daemon', 'logs', '--lines', '2', '--json'])).stdout) as {
      event: string;
    }[];
    expect(events.map(({event}) => event)).toEqual(['serving', 'ending']);
    const text = await rig.run(['daemon', 'logs', '-n', '1']);
    expect(text.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\d+ {2}ending {2}reason=asked to stop\n$/);
    expect(await rig.daemons()).toEqual([]);
  });

  it('is empty before there was a daemon, and never starts one', async ({expect}) => {
    await using rig = await LaunchRig.create();
    expect(await rig.run(['daemon', 'logs'])).toMatchObject({status: 0, stdout: '', stderr: ''});
    expect(await rig.run(['daemon', 'logs', '--json'])).toMatchObject({status: 0, stdout: '[]\n'});
    expect(await rig.daemons()).toEqual([]);
  });

  it('shows lines that are no events as they are, with escapes for the terminal', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await mkdir(join(rig.state, 'log'), {recursive: true});
    await writeFile(
      join(rig.state, 'log', 'daemon.log'),
      '{"at":"2026-01-01T00:00:00.000Z","pid":1,"event":"a\u001b[31m"}\n{"cut off\n',
    );
    const {stdout} = await rig.run(['daemon', 'logs']);
    expect(stdout).toContain('a\\x1b[31m');
    expect(stdout.endsWith('{"cut off\n')).toBe(true);
  });

  it('ends quietly when its reader has gone', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const event = JSON.stringify({at: new Date().toISOString(), pid: 1, event: 'x'.repeat(1000)});
    await mkdir(join(rig.state, 'log'), {recursive: true});
    await writeFile(join(rig.state, 'log', 'daemon.log'), `${event}\n`.repeat(900));
    const {stdout, stderr} = await rig.shell(
      `${quoted(bootcut)} daemon logs --lines 900 | head -n 1 | wc -l; echo "\${PIPESTATUS[0]}"`,
    );
    expect(stdout).toBe('1\n0\n');
    expect(stderr).toBe('');
  });

  it('follows what is written, over a rotation', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const path = join(rig.state, 'log', 'daemon.log');
    await mkdir(join(rig.state, 'log'), {recursive: true});
    const event = (name: string): string => `${JSON.stringify({at: new Date().toISOString(), pid: 1, event: name})}\n`;
    await writeFile(path, event('before'));
    const logs = rig.start(['daemon', 'logs', '--follow', '--lines', '1']);
    if (logs.stdout === null) throw new Error('no stdout');
    const lines = createInterface({input: logs.stdout})[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value).split('  ')[2] ?? '';
    expect(await next()).toBe('before');
    await appendFile(path, event('first'));
    expect(await next()).toBe('first');
    await rename(path, `${path}.1`);
    await appendFile(path, event('second'));
    expect(await next()).toBe('second');
    const [half, rest] = [event('third').slice(0, 20), event('third').slice(20)];
    await appendFile(path, half);
    await appendFile(path, rest + event('fourth'));
    expect([await next(), await next()]).toEqual(['third', 'fourth']);
    const ended = new Promise((resolve) => logs.once('close', resolve));
    logs.kill('SIGTERM');
    await ended;
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(4);
  });
});
