import {readdir, readFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'vitest';
import {findDirectories} from '../../../src/config/directories.js';
import type {LaunchRequest} from '../../../src/model/launch.js';
import type {LaunchRecord} from '../../../src/model/record.js';
import type {Moment} from '../../../src/model/units.js';
import {askDaemon} from '../../../src/protocol/ask.js';
import {readAsk} from '../../../src/protocol/asks.js';
import {Channel} from '../../../src/protocol/channel.js';
import {encodeFrame, FrameReader} from '../../../src/protocol/frames.js';
import {encodeGreeting} from '../../../src/protocol/greeting.js';
import {encodeLaunch} from '../../../src/protocol/launch-codec.js';
import {frameType, protocolVersion} from '../../../src/protocol/messages.js';
import {encodeProgress} from '../../../src/protocol/progress-codec.js';
import {RecordLog} from '../../../src/record/record-log.js';
import {buildId} from '../../../src/system/build-id.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {linkPlugin} from '../../rig/linked-plugin.js';
import {makeRecord} from '../../unit/record/sample-record.js';

/** A runtime whose launches take a while to be put on record. */
const thoughtful = `
import {definePlugin, defineRuntime} from 'bootcut/plugin';
export default definePlugin({name: 'thoughtful', runtimes: [defineRuntime({
  name: 'thoughtful',
  verbs: [],
  plan: () => [],
  phases: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    return {milestones: [], spans: []};
  },
})]});
`;

const addressOf = (rig: LaunchRig): string => findDirectories(rig.environment()).socket ?? '';

/** What lies on disk at this moment: unlike the rig's own, asks nobody first. */
const onDisk = async (rig: LaunchRig): Promise<readonly Pick<LaunchRecord, 'outcome' | 'runtime'>[]> => {
  const directory = join(rig.state, 'records');
  const names = await readdir(directory).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  return texts
    .flatMap((text) => text.split('\n').filter((line) => line !== ''))
    .map((line) => JSON.parse(line) as LaunchRecord)
    .map(({outcome, runtime}) => ({outcome, runtime}));
};

/** A front that a busy machine does not make impatient; longest wait for each frame, in milliseconds. */
const patience = 10_000;

/** A launch whose target has just ended with status 7. Its front is still there until it `finish`es. */
const launchThatEnded = async (rig: LaunchRig): Promise<Channel> => {
  const at = performance.now() as Moment;
  const request: LaunchRequest = {
    argv: ['run', '--runtime', 'thoughtful', '--', 'true'].map((arg) => Buffer.from(arg)),
    env: [],
    cwd: Buffer.from(rig.dir),
    stdio: ['file', 'file', 'file'],
    execAt: at,
    frontAt: at,
    sentAt: at,
    pid: process.pid,
    front: 'node',
    mergedOutput: false,
  };
  const channel = new Channel(addressOf(rig));
  channel.send(encodeLaunch(request));
  for (let type = 0; type !== frameType.plan; ) {
    const received = await channel.next(patience);
    if (received.kind !== 'frame' || received.frame.type === frameType.pass) throw new Error('the daemon has no plan');
    ({type} = received.frame);
  }
  channel.send(encodeProgress({kind: 'started', at, pid: process.pid}));
  channel.send(encodeProgress({kind: 'ended', at, ending: 'exited', code: 7, doneAt: at}));
  return channel;
};

/** Nothing tells us of the end of a process that is not our child. */
const daemonEnds = async (rig: LaunchRig): Promise<void> => {
  while ((await rig.daemons()).length > 0);
};

const expected = {runtime: 'thoughtful', outcome: {kind: 'exited', code: 7}};

describe('a launch that has ended', () => {
  let rig: LaunchRig;
  let front: Channel;
  beforeEach(async ({expect}) => {
    rig = await LaunchRig.create();
    await linkPlugin(rig, 'thoughtful', thoughtful);
    await rig.startDaemon();
    front = await launchThatEnded(rig);
    expect(await onDisk(rig)).toEqual([]); // else these tests show nothing
  });
  afterEach(async () => {
    front.close();
    await rig[Symbol.asyncDispose]();
  });

  it.for(['is still on its way out', 'has left without waiting'])(
    'is on record when the daemon has been asked to settle, and its front %s',
    async (state, {expect}) => {
      if (state === 'has left without waiting') {
        await front.flushed(patience);
        front.close();
      }
      expect(await askDaemon(addressOf(rig), {kind: 'settle'}, {limit: patience})).toEqual({
        ok: true,
        value: {settled: true},
      });
      expect(await onDisk(rig)).toEqual([expected]);
    },
  );

  it('does not count as running, and is on record when the daemon has been stopped', async ({expect}) => {
    expect(await askDaemon(addressOf(rig), {kind: 'stop', force: false}, {limit: patience})).toEqual({
      ok: true,
      value: {stopping: true},
    });
    await daemonEnds(rig);
    expect(await onDisk(rig)).toEqual([expected]);
  });

  it('is on record when the daemon has been ended by signal', async ({expect}) => {
    const [pid = 0] = await rig.daemons();
    process.kill(pid, 'SIGTERM');
    await daemonEnds(rig);
    expect(await onDisk(rig)).toEqual([expected]);
  });

  it('is on record before a newer daemon takes the place', async ({expect}) => {
    const reply = await askDaemon(addressOf(rig), {kind: 'retire'}, {limit: patience});
    expect(reply).toEqual({ok: true, value: {retired: true, launches: 0}});
    expect(await onDisk(rig)).toEqual([expected]);
  });
});

describe('a command that reads records', () => {
  /** A daemon that has one launch to write down, and does so when it is asked to. */
  const daemonWithDebt = async (rig: LaunchRig, record: LaunchRecord): Promise<AsyncDisposable> => {
    const server = createServer((socket) => {
      const reader = new FrameReader();
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        const received = reader.push(chunk);
        for (const {type, payload} of received.ok ? received.frames : []) {
          if (type === frameType.hello)
            socket.write(encodeGreeting('welcome', {protocol: protocolVersion, build: buildId}));
          if (type !== frameType.ask || readAsk(payload)?.kind !== 'settle') continue;
          new RecordLog(join(rig.state, 'records')).append(record);
          socket.write(encodeFrame(frameType.reply, Buffer.from(JSON.stringify({ok: true, value: {settled: true}}))));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(addressOf(rig), resolve));
    return {[Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve()))};
  };

  const readers = [
    ['profile', '--json'],
    ['profile', '--format', 'html'],
    ['profile', 'blame', '--json'],
    ['profile', 'history', '--json'],
    ['profile', 'what-if', '--json'],
    ['profile', 'diff', 'target=owed', 'target=owed', '--json'],
  ];
  it.for(readers.map((args) => args.join(' ')))('has the daemon write down first: %s', async (line, {expect}) => {
    await using rig = await LaunchRig.create();
    await using _daemon = await daemonWithDebt(rig, makeRecord({target: 'owed'}));
    expect(await rig.run(line.split(' '))).toMatchObject({status: 0, stderr: ''}); // without a launch on record they fail
  });

  it('goes on without a daemon that does not answer, and starts none', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.run(['run', '--no-daemon', '--', 'sh', '-c', 'exit 7']);
    expect(await rig.run(['profile', '--json'])).toMatchObject({status: 0, stderr: ''});
    expect(await rig.daemons()).toEqual([]);
    const {pid} = await rig.startDaemon();
    process.kill(pid, 'SIGSTOP');
    expect(await rig.run(['profile', '--json'])).toMatchObject({status: 0, stderr: ''});
    process.kill(pid, 'SIGCONT');
  });
});
