import {once} from 'node:events';
import {chmod, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {makeGate} from '../../rig/gate.js';
import {type GitHub, ghEnv, startGitHub} from '../../rig/github.js';
import {userObject} from '../../rig/github-shapes.js';
import {bootcut, fronts, LaunchRig, quoted} from '../../rig/launch-rig.js';
import {canBootGuests, emulated, giveGuest} from '../../rig/qemu-guest.js';
import {Terminal} from '../../rig/terminal.js';

const ann = {login: 'ann', id: 7, name: 'Ann Lee', email: 'ann@example.org'};

describe.skipIf(!canBootGuests())('bootcut shell in a microVM of our own', () => {
  let rig: LaunchRig;
  let github: GitHub;
  beforeAll(async () => {
    github = await startGitHub({users: {'token-ann': ann}});
    rig = await LaunchRig.create({env: {...emulated, ...ghEnv(github, {token: 'token-ann'})}});
    await giveGuest(rig);
    await rig.startDaemon();
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await github[Symbol.asyncDispose]();
  });

  const shell = async (...command: string[]): ReturnType<LaunchRig['run']> =>
    await rig.run(['shell', '--without', 'standby', '--', ...command]);

  /** QEMU processes whose command line names this rig's project. */
  const machines = async (): Promise<readonly number[]> =>
    (await rig.shell(`pgrep -f '^[^ ]*qemu-system-x86_64 .*path=${rig.dir},' || true`)).stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map(Number);

  it.for(fronts.filter(({name, daemon}) => name === 'launcher' || !daemon))(
    'is a shell in a terminal of the right size, with keys as at home, and the terminal as it was after it, $front',
    async ({env}) => {
      using shown = new Terminal(
        [
          '/bin/bash',
          '-c',
          `stty -g >before; ${quoted(bootcut)} shell --without standby; echo status=$?; stty -g >after; cmp before after && echo same`,
        ],
        {cwd: rig.dir, env: rig.environment({...env, TERM: 'dumb', SHELL: '/bin/bash'}), columns: 171, rows: 47},
      );
      await shown.shows(/[$#] $/);
      shown.type('stty size; test -t 0 && test -t 1 && test -t 2 && echo all-tty\r');
      await shown.shows(/47 171\r\nall-tty/);
      shown.resize(120, 33);
      shown.type('sleep 60\r');
      await new Promise((resolve) => setTimeout(resolve, 300)); // the guest's shell tells nobody that it reads no more
      shown.type('\x03');
      shown.type('stty size; echo interrupted $?\r');
      await shown.shows(/33 120\r\ninterrupted/);
      shown.type('exit 3\r');
      await shown.shows(/status=3/);
      await shown.shows(/\r\nsame/);
    },
  );

  it('W6: whose VM process alone is killed says so in one line, leaves the terminal as it was and nothing behind', async ({
    expect,
  }) => {
    using shown = new Terminal(
      [
        '/bin/bash',
        '-c',
        `stty -g >before; ${quoted(bootcut)} shell --without standby; echo status=$?; stty -g >after; cmp before after && echo same`,
      ],
      {cwd: rig.dir, env: rig.environment({TERM: 'dumb', SHELL: '/bin/bash'}), columns: 171, rows: 47},
    );
    await shown.shows(/[$#] $/);
    const [pid = 0] = await machines();
    expect(pid).toBeGreaterThan(1);
    process.kill(pid, 'SIGKILL');
    await shown.shows(/status=137/);
    await shown.shows(/\r\nsame/);
    expect(shown.text).toMatch(/bootcut: qemu: the VM was ended by signal 9/);
    expect(await machines()).toEqual([]);
  });

  it('Q1: shows an abort of QEMU as 134, with the cause in one line and its own words below, and does not wait', async ({
    expect,
  }) => {
    const stub = join(rig.root, 'qemu-stub');
    const words = 'qemu-system-x86_64: error: failed to set MSR 0x48e to 0xfff9fffe04006172';
    await writeFile(
      stub,
      `#!/bin/bash\ncase "$*" in --version | "-machine help" | -help) exec qemu-system-x86_64 "$@" ;; esac\necho '${words}' >&2\nkill -ABRT $$\n`,
    );
    await chmod(stub, 0o755);
    await rig.run(['config', 'set', 'plugins.qemu.path', stub]);
    const {status, stderr, stdout} = await shell('true');
    await rig.run(['config', 'unset', 'plugins.qemu.path']);
    expect({status, stdout}).toEqual({status: 134, stdout: ''});
    const [first = '', second] = stderr.split('\n');
    expect(first).toMatch(/^bootcut: qemu: .*MSR/);
    expect(second).toBe(words);
    expect(stderr).not.toMatch(/chmod|666/);
  });

  it.for([
    [
      'is too old',
      'case "$1" in --version) echo "QEMU emulator version 4.2.0" ;; -machine) echo "pc    Standard PC" ;; esac',
      /^bootcut: .*\(QEMU 4\.2\.0\) has no machine type microvm; install/,
    ],
    ['is something else', 'echo rubbish', /^bootcut: qemu: .*\nrubbish\n/],
    ['does not start', 'exec /nonexistent/program', /^bootcut: qemu: .*\n.*nonexistent/],
  ] as const)(
    'ends with the cause where QEMU %s, and runs nothing on the host',
    async ([, script, cause], {expect}) => {
      const stub = join(rig.root, 'qemu-wrong');
      await writeFile(stub, `#!/bin/sh\n${script}\n`);
      await chmod(stub, 0o755);
      await rig.run(['config', 'set', 'plugins.qemu.path', stub]);
      const mark = join(rig.dir, 'ran-on-the-host');
      const {status, stderr} = await shell('touch', mark);
      await rig.run(['config', 'unset', 'plugins.qemu.path']);
      expect(status).toBe(125);
      expect(stderr).toMatch(cause);
      await expect(readFile(mark)).rejects.toThrow('ENOENT');
    },
  );

  it('without setup, or without KVM where emulation is not allowed, is refused with the next step, never run on the host', async ({
    expect,
  }) => {
    await rig.run(['config', 'set', 'plugins.qemu.emulation', 'never']);
    const mark = join(rig.dir, 'ran-on-the-host');
    const refused = await rig.run(['shell', '--', 'touch', mark]);
    await rig.run(['config', 'set', 'plugins.qemu.emulation', 'allow']);
    expect(refused.status).toBe(125);
    expect(refused.stderr).toContain('--emulate for one launch');
    const elsewhere = await rig.run(['shell', '--', 'touch', mark], {env: {BOOTCUT_DATA_DIR: join(rig.root, 'empty')}});
    expect(elsewhere.status).toBe(125);
    expect(elsewhere.stderr).toContain('bootcut setup --runtime qemu');
    await expect(readFile(mark)).rejects.toThrow('ENOENT');
  });

  it('boots while the identity is still being asked for, and the first command waits for it', async ({expect}) => {
    await rig.run(['cache', 'clear']);
    await shell('true'); // QEMU and /etc are known now
    await rig.run(['cache', 'clear', 'git-identity/github']);
    const gate = makeGate();
    github.answer({path: '/user'}, {until: gate.opened, body: userObject(ann, github.url, github.url)}, 1);
    const running = shell('sh', '-c', 'echo "$GIT_AUTHOR_NAME <$GIT_COMMITTER_EMAIL>"');
    await github.arrival(({url}) => url?.endsWith('/user') ?? false);
    while ((await machines()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20)); // not our child
    gate.open();
    expect((await running).stdout).toBe('Ann Lee <ann@example.org>\n');
    const record = await rig.lastRecord();
    const asked = record.steps.find(({step}) => step === 'git-identity/github');
    expect(asked?.to).toBeGreaterThan(
      record.milestones.find(({name}) => name === 'vm-started' || name === 'vm-restored')?.at ?? Number.NaN,
    );
    expect(record.phases.find(({name}) => name === 'run')?.from).toBeGreaterThan(asked?.to ?? Number.NaN);
  });

  it('takes the VM that the daemon has booted, another one each time, and the daemon leaves none behind', async ({
    expect,
  }) => {
    const identities = new Set<string>();
    for (let count = 0; count < 2; count += 1) {
      await rig.run(['standby', 'start']);
      const {stdout, status} = await rig.run([
        ...['shell', '--', 'sh', '-c'],
        'cat /proc/sys/kernel/random/boot_id /etc/machine-id; head -c 16 /dev/urandom | od -An -tx1; echo $GIT_AUTHOR_NAME',
      ]);
      expect(status).toBe(0);
      expect(stdout).toContain('Ann Lee');
      for (const line of stdout.split('\n').slice(0, 3)) identities.add(line);
      const record = await rig.lastRecord();
      expect(record.standby).toBe(true);
      expect(record.milestones.map(({name}) => name)).toContain('vm-resumed');
    }
    expect(identities.size).toBe(6);
    await rig.run(['standby', 'start']);
    expect(await machines()).not.toEqual([]);
    await rig.run(['daemon', 'stop']);
    while ((await machines()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20)); // nor is it now
  });

  it('joins with --attach the VM of this project that another launch with it has booted', async ({expect}) => {
    const first = rig.start([
      'shell',
      '--attach',
      '--',
      'sh',
      '-c',
      'cat /proc/sys/kernel/random/boot_id; exec sleep 1000',
    ]);
    const ended = once(first, 'close');
    const [bootId] = (await once(first.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const second = await rig.run([
      'shell',
      '--attach',
      '--',
      'sh',
      '-c',
      'cat /proc/sys/kernel/random/boot_id; exit 4',
    ]);
    expect(second).toMatchObject({status: 4, stdout: String(bootId)});
    const record = await rig.lastRecord();
    expect(record.milestones.map(({name}) => name)).toEqual([
      'vm-joined',
      'command-started',
      'first-output',
      'command-ended',
    ]);
    expect(record.phases.map(({name}) => name)).toContain('run');
    first.kill('SIGTERM');
    await ended;
    expect(await machines()).toEqual([]);
  });

  it('is restored from a saved VM where the memory budget has no room for one that waits, and both are said', async ({
    expect,
  }) => {
    await rig.run(['config', 'set', 'standby.memory', '64M']);
    const started = await rig.run(['standby', 'start', '--json']);
    expect(JSON.parse(started.stdout)).toMatchObject({form: 'saved'});
    expect((await rig.run(['standby', 'list'])).stdout).toContain(
      'saved: the setting standby.memory has no room for one that waits',
    );
    expect((await rig.run(['shell', '--', 'cat', '/etc/hostname'])).status).toBe(0);
    const restored = await rig.lastRecord();
    expect(restored.standby).toBeUndefined();
    expect(restored.milestones.map(({name}) => name)).toContain('vm-restored');
    expect((await rig.run(['profile'])).stdout).toContain(', restored from a saved VM, via');
    await rig.run(['config', 'unset', 'standby.memory']);
    await rig.run(['standby', 'start']);
    expect((await rig.run(['shell', '--', 'true'])).status).toBe(0);
    expect((await rig.run(['profile'])).stdout).toContain(', a standby taken, via');
    const {forms} = JSON.parse((await rig.run(['standby', 'list', '--json'])).stdout) as {forms: readonly unknown[]};
    for (const form of ['paused', 'restored'])
      expect(forms).toContainEqual({form, runtime: 'qemu', launches: expect.any(Number), bootMs: expect.any(Number)});
  });
});
