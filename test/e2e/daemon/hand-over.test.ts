import {execFileSync} from 'node:child_process';
import {cp, mkdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, it} from 'vitest';
import {LaunchRig, quoted} from '../../rig/launch-rig.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A second installation with another build name; its code is ours. Returns its command. */
const otherBuild = async (rig: LaunchRig, change: (build: string) => string): Promise<string> => {
  const copy = join(rig.root, 'other');
  await mkdir(copy);
  for (const name of ['bin', 'dist', 'plugins', 'package.json', 'oclif.manifest.json']) {
    await cp(join(root, name), join(copy, name), {recursive: true, filter: (path) => !path.includes('node_modules')});
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const build = (await readFile(join(root, 'dist', 'build-id'), 'utf8')).trim();
  await writeFile(join(copy, 'dist', 'build-id'), `${change(build)}\n`);
  return join(copy, 'bin', 'bootcut');
};

/** The same version, built later or earlier. */
const builtAt =
  (move: number) =>
  (build: string): string =>
    build.replace(/\+(\d+)\./, (_, time: string) => `+${Number(time) + move}.`);

describe('D6: after an upgrade', () => {
  it('a newer front goes on by itself and replaces an idle older daemon, without a gap', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid, build} = await rig.startDaemon();
    const newer = await otherBuild(rig, builtAt(1000));
    const {stdout} = await rig.shell(`${quoted(newer)} run -- sh -c 'exit 7'; echo $?`);
    expect(stdout).toBe('7\n');
    expect((await rig.lastRecord()).viaReason).toMatch(/^(older-daemon|daemon-silence)$/);
    // every launch of the new build succeeds while the old daemon gives way, and soon the new one serves them
    let via = '';
    while (via !== 'daemon') {
      const launched = await rig.shell(`${quoted(newer)} run -- sh -c 'exit 7'; echo $?`);
      expect(launched).toMatchObject({stdout: '7\n', stderr: ''});
      ({via} = await rig.lastRecord());
    }
    const status = JSON.parse((await rig.shell(`${quoted(newer)} daemon status --json`)).stdout) as {
      pid: number;
      build: string;
    };
    expect(status.pid).not.toBe(pid);
    expect(status.build).not.toBe(build);
    expect((await rig.daemons()).filter((daemon) => daemon !== pid)).toEqual([status.pid]);
  });

  it('a newer front does not replace a daemon that follows a launch', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    const running = rig.start(['run', '--', 'sh', '-c', 'echo up; exec sleep 1000']);
    await new Promise((resolve) => running.stdout?.once('data', resolve));
    const newer = await otherBuild(rig, builtAt(1000));
    expect(
      (
        await rig.shell(
          `${quoted(newer)} run -- sh -c 'exit 7'; echo $?; ${quoted(newer)} run -- sh -c 'exit 7'; echo $?`,
        )
      ).stdout,
    ).toBe('7\n7\n');
    expect((await rig.status()).pid).toBe(pid);
    expect((await rig.status()).launches.running).toBe(1);
    running.kill('SIGTERM');
    await new Promise((resolve) => running.once('exit', resolve));
  });

  it('an older front leaves a newer daemon alone and goes on without it', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    const older = await otherBuild(rig, builtAt(-1000));
    const {stdout, stderr} = await rig.shell(`${quoted(older)} run -- sh -c 'exit 7'; echo $?`);
    expect({stdout, stderr}).toEqual({stdout: '7\n', stderr: ''});
    expect((await rig.lastRecord()).viaReason).toMatch(/^(newer-daemon|daemon-silence)$/);
    expect((await rig.status()).pid).toBe(pid);
  });

  it('any build can stop the daemon of any other', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    const older = await otherBuild(rig, (build) => build.replace(/^[^+]+/, '0.0.1'));
    const {stdout} = await rig.shell(`${quoted(older)} daemon stop >/dev/null; echo $?`);
    expect(stdout).toBe('0\n');
    expect(await rig.daemons()).toEqual([]);
  });
});

describe('C2: a clock that jumped, and a sleep', () => {
  it('a daemon that was stopped for longer than its idle time serves the next launch', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    process.kill(pid, 'SIGSTOP');
    execFileSync('sleep', ['1.2']);
    process.kill(pid, 'SIGCONT');
    expect(await rig.run(['run', '--', 'sh', '-c', 'exit 7'])).toMatchObject({status: 7, stderr: ''});
    expect((await rig.status()).pid).toBe(pid);
  });
});

describe('C11: the idle daemon', () => {
  it('wakes up for nothing', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    await rig.run(['run', '--with', 'git-identity', '--', 'true']);
    await rig.records(); // the daemon has written down everything
    const before = await awakenings(pid);
    execFileSync('sleep', ['2']);
    // the status question and the kernel's own accounting leave a few; a timer of 50 ms would leave 40
    expect((await awakenings(pid)) - before).toBeLessThanOrEqual(3);
    const {stdout} = await rig.shell(`grep VmRSS /proc/${pid}/status`);
    expect(Number(/\d+/.exec(stdout)?.[0])).toBeLessThan(110 * 1024);
  });
});

/** How often the main thread of a process was put to sleep and woken again. */
const awakenings = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/task/${pid}/status`, 'utf8');
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
};
