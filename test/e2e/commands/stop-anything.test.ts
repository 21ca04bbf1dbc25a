import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, rmSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {describe, it} from 'vitest';
import {buildId} from '../../../src/system/build-id.js';
import {LaunchRig, quoted} from '../../rig/launch-rig.js';
import {addressOf, manners, startImpostor} from './impostor.js';

const kinds = Object.keys(manners) as (keyof typeof manners)[];

describe('D6: something else at the daemon’s address', () => {
  it.for(kinds)('which %s: status names it and both versions, stop ends it', async (kind, {expect}) => {
    await using rig = await LaunchRig.create();
    await using impostor = await startImpostor(addressOf(rig), manners[kind]);
    const status = await rig.run(['daemon', 'status']);
    expect(status).toMatchObject({status: 1, stdout: ''});
    const text = status.stderr.replace(/\n [›»] +/g, ' ');
    expect(text).toContain('cannot be talked to');
    expect(text).toContain(buildId);
    const theirs = /greet\((\d+), '([^']+)'\)/.exec(manners[kind]);
    expect(text).toContain(
      theirs === null ? 'did not say its version' : `protocol ${theirs[1]} and is of build ${theirs[2]}`,
    );

    const stopped = await rig.run(['daemon', 'stop', '--json']);
    expect(JSON.parse(stopped.stdout)).toEqual({how: 'terminated', pid: impostor.pid});
    expect(await impostor.ended).toMatchObject({code: 'SIGTERM'});
    expect((await rig.run(['daemon', 'status'])).stderr).toContain('is not running');
  });

  it('is ended by SIGKILL when it does not heed SIGTERM', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await using impostor = await startImpostor(addressOf(rig), '', `process.on('SIGTERM', () => say('no'));`);
    const stopped = await rig.run(['daemon', 'stop']);
    expect(stopped).toMatchObject({status: 0, stderr: ''});
    expect(stopped.stdout).toContain(`process ${impostor.pid}`);
    expect(await impostor.ended).toMatchObject({code: 'SIGKILL'});
  });

  it('is replaced by restart', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await using impostor = await startImpostor(addressOf(rig), manners['sends random bytes']);
    expect(await rig.run(['daemon', 'restart'])).toMatchObject({status: 0, stderr: ''});
    expect(await impostor.ended).toMatchObject({code: 'SIGTERM'});
    expect(await rig.daemons()).toEqual([(await rig.status()).pid]);
  });

  it('is no reason for start to start a second one', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await using _ = await startImpostor(addressOf(rig), '');
    expect(await rig.run(['daemon', 'start'])).toMatchObject({status: 1, stdout: ''});
    expect(await rig.daemons()).toEqual([]);
  });
});

describe('daemon stop', () => {
  it('ends a daemon that was stopped by a signal', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    process.kill(pid, 'SIGSTOP');
    expect(await rig.run(['daemon', 'stop'])).toMatchObject({status: 0, stderr: ''});
    expect(await rig.daemons()).toEqual([]);
  });

  it('finds a daemon whose address is gone by the lock it holds', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    process.kill(pid, 'SIGSTOP');
    rmSync(addressOf(rig));
    const stopped = await rig.run(['daemon', 'stop', '--json']);
    expect(JSON.parse(stopped.stdout)).toMatchObject({pid});
    expect(await rig.daemons()).toEqual([]);
  });

  it('never believes a pid in a file', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await using bystander = await startImpostor(join(rig.root, 'elsewhere.sock'), '');
    await mkdir(rig.state, {recursive: true});
    const note = {pid: bystander.pid, build: buildId, protocol: 1, socket: addressOf(rig)};
    await writeFile(join(rig.state, 'daemon.json'), JSON.stringify(note));
    expect(await rig.run(['daemon', 'stop'])).toMatchObject({status: 0, stdout: 'The daemon was not running.\n'});
    expect(existsSync(`/proc/${bystander.pid}`)).toBe(true);
  });

  it('leaves the daemon of another state directory alone', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await using other = await LaunchRig.create();
    const {pid} = await other.startDaemon();
    await rig.startDaemon();
    expect(await rig.run(['daemon', 'stop'])).toMatchObject({status: 0});
    expect((await other.status()).pid).toBe(pid);
  });

  it('leaves a process alone that has the same path in another mount namespace', async ({expect, skip}) => {
    await using rig = await LaunchRig.create();
    const directory = dirname(addressOf(rig));
    mkdirSync(directory, {recursive: true, mode: 0o700});
    const {status} = await rig.shell('unshare -m true 2>/dev/null');
    skip(status !== 0, 'making a mount namespace is not allowed here');
    const server = `require('node:net').createServer().listen(process.argv[1], () => console.log('listening'))`;
    const stranger = spawn(
      'unshare',
      ['-m', 'sh', '-c', 'mount -t tmpfs none "$0" && exec node -e "$1" "$2"', directory, server, addressOf(rig)],
      {env: rig.environment(), stdio: ['ignore', 'pipe', 'inherit']},
    );
    await using _ = {
      [Symbol.asyncDispose]: async (): Promise<void> => {
        const ended = new Promise((resolve) => stranger.once('close', resolve));
        stranger.kill('SIGKILL');
        await ended;
      },
    };
    await new Promise((resolve) => stranger.stdout.once('data', resolve));
    expect(await rig.run(['daemon', 'stop'])).toMatchObject({status: 0, stdout: 'The daemon was not running.\n'});
    expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
  });

  it('takes a socket that nobody listens on for what it is', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    process.kill(pid, 'SIGKILL');
    expect(await rig.run(['daemon', 'stop'])).toMatchObject({
      status: 0,
      stdout: 'The daemon was not running.\n',
      stderr: '',
    });
  });

  it('leaves a daemon alone that follows a launch, unless forced; then the target goes on', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    const [gate, done] = [join(rig.root, 'gate'), join(rig.root, 'done')];
    await rig.shell(`mkfifo ${quoted(gate)}`);
    const launch = rig.start([
      'run',
      '--',
      'sh',
      '-c',
      `echo begun; read line <${quoted(gate)}; echo "$line" >${quoted(done)}; exit 7`,
    ]);
    const ended = new Promise((resolve) => launch.once('close', resolve));
    await new Promise((resolve) => launch.stdout?.once('data', resolve));

    const refused = await rig.run(['daemon', 'stop']);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('following 1 launch');
    expect((await rig.status()).pid).toBe(pid);

    expect(JSON.parse((await rig.run(['daemon', 'stop', '--force', '--json'])).stdout)).toEqual({how: 'asked', pid});
    await rig.shell(`echo on >${quoted(gate)}`);
    expect(await ended).toBe(7);
    expect(existsSync(done)).toBe(true);
  });
});
