import {once} from 'node:events';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, test, vi} from 'vitest';
import {debianKernel} from '../../../plugins/qemu/src/setup/debian-kernel.js';
import {bootcut, LaunchRig} from '../../rig/launch-rig.js';
import {requireProgram, run} from '../../rig/program.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {Terminal} from '../../rig/terminal.js';

requireProgram('qemu-system-x86_64', 'qemu-system-x86');

const setup = ['setup', '--runtime', 'qemu', '--no-daemon'];

/** Everything in the data directory, by its path below it, with what would change if it were made anew. */
const inventory = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory, {recursive: true, encoding: 'utf8'})
        .map((path) => `${path} ${statSync(join(directory, path)).ino}`)
        .sort()
    : [];

/** A bzImage as far as its header goes, whose payload only `xz` could unpack. */
const packedKernel = (): Buffer => {
  const image = Buffer.alloc(2048);
  image.writeUInt8(1, 0x1f1);
  image.write('HdrS', 0x202, 'latin1');
  image.writeUInt16LE(0x100, 0x20e);
  image.write('6.1.0-test (ann@host)\0', 0x300, 'latin1');
  image.writeUInt32LE(64, 0x24c);
  image.write('fd377a585a00', 1024, 'hex');
  return image;
};

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

let rig: LaunchRig;
let data = '';
beforeAll(async () => {
  rig = await LaunchRig.create();
  data = join(rig.home, '.local', 'share', 'bootcut', 'qemu');
});
afterAll(() => rig[Symbol.asyncDispose]());

/** Starts a setup that stands still while it unpacks a kernel; resolves when it does. */
const startHeld = async () => {
  const bin = join(rig.root, 'held');
  mkdirSync(bin, {recursive: true});
  writeFileSync(join(bin, 'kernel'), packedKernel());
  const gate = join(bin, `gate-${process.hrtime.bigint()}`);
  await run(['mkfifo', gate]);
  await rig.script('xz', `#!/bin/sh\necho $$ $PPID > '${gate}'\nexec sleep 300\n`, bin);
  const child = rig.start([...setup, '--kernel', join(bin, 'kernel')], {
    env: {PATH: `${bin}:${rig.env['PATH'] ?? ''}`},
  });
  const ended = once(child, 'close');
  const {stdout} = await run(['cat', gate]);
  const [program = 0, itself = 0] = stdout.split(' ').map(Number);
  return {child, ended, program, itself};
};

describe('setup of the runtime qemu', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`leaves nothing behind when ${signal} ends it before anything is ready`, async ({expect}) => {
      const {child, ended, program} = await startHeld();
      expect(readdirSync(join(data, 'kernels'))).toEqual([expect.stringMatching(/^\.making-/)]);
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(readdirSync(join(data, 'kernels'))).toEqual([]);
      expect(existsSync(join(data, 'current'))).toBe(false);
      await vi.waitFor(() => expect(isAlive(program)).toBe(false), {timeout: 10_000});
    });
  }

  test('a launch before it is refused, with the command that prepares the guest', async ({expect}) => {
    const {status, stderr} = await rig.run(['shell', '--runtime', 'qemu', '--no-daemon', '--', 'true']);
    expect({status, stderr}).toEqual({
      status: 125,
      stderr: 'bootcut: there is no guest to boot yet; run: bootcut setup --runtime qemu\n',
    });
  });

  test('prepares a guest that boots, and says what it did on stderr only', async ({expect}) => {
    const {status, stdout, stderr} = await rig.run(setup);
    expect({status, stdout}, stderr).toEqual({status: 0, stdout: ''});
    expect(stderr).toMatch(/Preparing the kernel: .*\nIt boots\.\nThe guest is ready: Linux \d/);
    expect(realpathSync(join(data, 'current'))).toMatch(/\/guests\/[0-9a-f]{16}$/);
  });

  test('makes nothing anew the second time, and tells programs what there is', async ({expect}) => {
    const before = inventory(data);
    const {status, stdout} = await rig.run([...setup, '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kernel: {kind: 'debian', path: expect.stringMatching(/vmlinux$/)},
      missing: [],
    });
    // Only the link is another one, and leads to the same place.
    const changed = inventory(data).filter((item) => !before.includes(item));
    expect(changed.filter((item) => !item.startsWith('current '))).toEqual([]);
  });

  test('offers the quicker kernel at a terminal, and an n or the end of input leaves it at that', async ({expect}) => {
    const before = realpathSync(join(data, 'current'));
    for (const answer of ['n\r', '\x04']) {
      using terminal = new Terminal([bootcut, ...setup], {cwd: rig.dir, env: rig.environment()});
      await terminal.shows(/boots in a third of the time\? .*\[Y\/n\]/s);
      terminal.type(answer);
      expect(await terminal.ended()).toEqual({code: 0, signal: 0});
    }
    expect(realpathSync(join(data, 'current'))).toBe(before);
    using asked = new Terminal([bootcut, ...setup, '--kernel', 'debian'], {cwd: rig.dir, env: rig.environment()});
    await asked.ended();
    expect(asked.text).not.toContain('[Y/n]');
  });

  test('killed over another kernel leaves the guest in use as it is; the next one clears up', async ({expect}) => {
    const before = realpathSync(join(data, 'current'));
    const {ended, program, itself} = await startHeld();
    const second = await rig.run(setup);
    expect(second).toMatchObject({status: 1, stderr: expect.stringContaining('another setup is at work')});
    process.kill(itself, 'SIGKILL');
    await ended;
    await vi.waitFor(() => expect(isAlive(program)).toBe(false), {timeout: 10_000});
    expect(realpathSync(join(data, 'current'))).toBe(before);
    expect((await rig.run(setup)).status).toBe(0);
    expect(readdirSync(join(data, 'kernels')).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(realpathSync(join(data, 'current'))).toBe(before);
  });

  test('refuses a kernel that is none, and keeps the guest in use', async ({expect}) => {
    const before = realpathSync(join(data, 'current'));
    const {status, stderr} = await rig.run([...setup, '--kernel', '/bin/sh']);
    expect(status).toBe(1);
    expect(stderr).toContain('/bin/sh does not say which Linux it is');
    expect(realpathSync(join(data, 'current'))).toBe(before);
  });

  test('does not keep a kernel that does not come up', async ({expect}) => {
    const broken = join(rig.root, 'broken');
    // An ELF file that QEMU does not take for a kernel.
    writeFileSync(
      broken,
      Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.from('Linux version 6.1.0-broken (ann@host)')]),
    );
    const before = inventory(data);
    const {status, stderr} = await rig.run([...setup, '--kernel', broken]);
    expect({status, text: stderr}).toEqual({status: 1, text: expect.stringContaining('does not come up')});
    expect(inventory(data)).toEqual(before);
  });

  test('without a kernel in /boot it takes one out of the package, without installing it', {
    timeout: 120_000,
  }, async ({expect, skip}) => {
    const update = await run(['apt-cache', 'show', 'linux-image-amd64']).catch(() => undefined);
    if (update?.status !== 0) return skip('apt knows no linux-image-amd64 here');
    const directory = await temporaryDirectory('qemu-package', rig.root);
    const said: string[] = [];
    const say = {line: (text: string) => void said.push(text), progress: () => undefined};
    const source = await debianKernel(directory, say, join(rig.root, 'empty-root'));
    const made = await source.make().catch((error: unknown) => String(error));
    if (typeof made === 'string' && made.includes('could not be fetched')) return skip(made);
    expect(made).toMatchObject({release: expect.stringMatching(/^\d.*-amd64$/), modules: expect.any(Array)});
    expect(said[0]).toContain('it is not installed');
    expect(readdirSync(directory)).toEqual([]);
  });

  // QEMU is hidden from the test alone, which takes a mount of its own.
  describe.skipIf(process.getuid?.() !== 0)('without QEMU', () => {
    const hidden = (command: string) =>
      run(
        ['unshare', '--mount', 'sh', '-c', `mount --bind /dev/null "$(command -v qemu-system-x86_64)" && ${command}`],
        {
          env: rig.environment({PATH: `${join(rig.root, 'apt')}:${rig.env['PATH'] ?? ''}`}),
          cwd: rig.dir,
        },
      );

    test('root has it installed, is told so, and what is left to do when that does not help', async ({expect}) => {
      const log = join(rig.root, 'apt-log');
      await rig.script('apt-get', `#!/bin/sh\necho "$*" >> '${log}'\n`, join(rig.root, 'apt'));
      const {status, stderr} = await hidden(`${bootcut} ${setup.join(' ')}`);
      expect(status).toBe(1);
      expect(stderr).toContain('Installing qemu-system-x86 with apt-get.\n');
      expect(stderr).toContain('One thing is left, which needs root: apt-get install qemu-system-x86\n');
      expect(readFileSync(log, 'utf8')).toBe('install -y --no-install-recommends qemu-system-x86\n');
    });

    test('a launch names the command that installs it', async ({expect}) => {
      const {status, stderr} = await hidden(`${bootcut} shell --runtime qemu --no-daemon --emulate -- true`);
      expect({status, stderr}).toEqual({
        status: 125,
        stderr: 'bootcut: QEMU is not installed; run: sudo apt-get install qemu-system-x86\n',
      });
    });
  });
});
