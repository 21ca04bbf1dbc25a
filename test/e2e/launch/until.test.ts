import {afterEach, describe, expect, it} from 'vitest';
import {fronts, LaunchRig} from '../../rig/launch-rig.js';
import {freePort} from '../../unit/readiness/one-run.js';

let rig: LaunchRig;
afterEach(() => rig[Symbol.asyncDispose]());

/** Serves for a while after it began to listen, then ends by itself with status 7. */
const server = (port: number): readonly string[] => [
  process.execPath,
  '-e',
  `require('http').createServer((q, r) => r.end('ok')).listen(${port}, '127.0.0.1', () => setTimeout(() => process.exit(7), 400))`,
];

describe.each(fronts)('run --until, $front', ({daemon, env}) => {
  it('records when the target became ready, and changes nothing about the target', async () => {
    rig = await LaunchRig.create({env});
    if (daemon) await rig.startDaemon();
    const port = await freePort();
    const until = ['--until', `bound=port:${port}`, '--until', `up=http://localhost:${port}/`];
    const command = ['run', ...until, '--', ...server(port)];
    const {status, stderr} = daemon ? await rig.served(command) : await rig.run(command);
    expect(stderr).toBe('');
    expect(status).toBe(7);
    const {milestones, phases, via, viaReason} = await rig.lastRecord();
    expect(via).toBe(daemon ? 'daemon' : 'in-process');
    if (daemon) expect(viaReason).toBeUndefined();
    expect(milestones.map(({name}) => name)).toEqual(expect.arrayContaining(['bound', 'up listening', 'up']));
    const run = phases.find(({name}) => name === 'run');
    expect(run?.from).toBeCloseTo(milestones.find(({name}) => name === 'up')!.at, 2);
    expect(run!.to - run!.from).toBeGreaterThan(100);
  });
});

describe('run --until', () => {
  it('says on stderr why a target never was ready, keeps its status, and notes the last lines', async () => {
    rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const port = await freePort();
    const {status, stderr, stdout} = await rig.run([
      'run',
      '--until',
      `port:${port}`,
      '--until',
      'stderr:ready',
      '--',
      'sh',
      '-c',
      'echo out; echo no config >&2; exit 3',
    ]);
    expect({status, stdout}).toEqual({status: 3, stdout: 'out\n'});
    expect(stderr).toContain(
      `bootcut: the target ended with status 3 before it was ready (port:${port}: nobody listens`,
    );
    expect((await rig.lastRecord()).notes).toContain('stderr: no config');
  });

  it('says once that the limit has passed, and lets the target go on', async () => {
    rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const {status, stderr} = await rig.run([
      'run',
      '--until',
      'file:never',
      '--until-limit',
      '100ms',
      '--',
      'sleep',
      '0.6',
    ]);
    expect(status).toBe(0);
    expect(stderr.match(/not ready after 0.1 s; the target goes on/g)).toHaveLength(1);
  });

  it('refuses a condition that makes no sense before anything is started', async () => {
    rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const {status, stderr} = await rig.run(['run', '--until', 'prot:1', '--', 'touch', 'started']);
    expect(status).toBe(2);
    expect(stderr).toContain("there is no kind 'prot'");
  });

  it('reads both streams along where they are no terminal, and passes on every byte', async () => {
    rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const until = ['--until', 'out=log:ready', '--until', 'only=stdout:ready', '--until', 'err=stderr:/^well$/'];
    const script =
      'head -c 300000 /dev/zero; echo ready >/dev/stdout; echo well >/dev/stderr; head -c 300000 /dev/zero; exit 3';
    const {status, stdout, stderr} = await rig.run(['run', ...until, '--', 'sh', '-c', script]);
    expect(status).toBe(3);
    const zeros = '\0'.repeat(300_000);
    expect(stdout === `${zeros}ready\n${zeros}`).toBe(true);
    expect(stderr).toBe('well\n');
    const {milestones, notes} = await rig.lastRecord();
    expect(milestones.map(({name}) => name).sort()).toEqual(['err', 'only', 'out']);
    expect(notes).toEqual([]);
    const {stdout: counted} = await rig.shell(
      "bootcut run --until log:x -- sh -c 'head -c 3000000 /dev/zero' | (sleep 0.5; wc -c)",
    );
    expect(counted.trim()).toBe('3000000');
  });

  it('reads along with a file, a null device, and not with two streams that lead to one place', async () => {
    rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const launch = "bootcut run --until up=log:ready -- sh -c 'echo ready; echo more >&2'";
    await rig.shell(`${launch} >out.log 2>err.log; cat out.log err.log`).then(({stdout}) => {
      expect(stdout).toBe('ready\nmore\n');
    });
    expect((await rig.lastRecord()).milestones.map(({name}) => name)).toEqual(['up']);
    await rig.shell(`${launch} >/dev/null 2>&1`);
    expect((await rig.lastRecord()).milestones.map(({name}) => name)).toEqual(['up']);
    await rig.shell(`${launch} >both.log 2>&1`);
    expect((await rig.lastRecord()).notes).toEqual([
      'up: its output is not ours to read along: it is a terminal, or stdout and stderr lead to one place',
    ]);
    expect((await rig.shell('head -2 both.log')).stdout).toBe('ready\nmore\n');
  });

  it('tells a target whose reader has gone, as without us', async () => {
    rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const {stdout, stderr} = await rig.shell(
      'bootcut run --until log:never -- yes | head -1 >/dev/null; echo ${PIPESTATUS[0]}',
    );
    expect(stdout).toBe('141\n');
    expect(stderr).not.toMatch(/EPIPE|\n\s+at /);
  });
});
