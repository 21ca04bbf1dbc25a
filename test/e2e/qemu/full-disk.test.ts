import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {LaunchRig} from '../../rig/launch-rig.js';
import {canBootGuests, emulated, giveGuest} from '../../rig/qemu-guest.js';

/* The state, cache and log directories on a small disk of the test's own, which only root may mount. */
describe.skipIf(!canBootGuests() || process.getuid?.() !== 0)('a launch into a VM with a full disk', () => {
  let rig: LaunchRig;
  const mounted: string[] = [];
  beforeAll(async () => {
    rig = await LaunchRig.create({env: emulated});
    await giveGuest(rig);
    for (const path of [join(rig.home, '.cache'), rig.state]) {
      await mkdir(path, {recursive: true});
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24M,mode=0700', 'tmpfs', path]).status === 0)
        mounted.push(path);
    }
  });
  afterAll(async () => {
    await rig.run(['daemon', 'stop']);
    for (const path of mounted) execFileSync('umount', ['--lazy', path]);
    await rig[Symbol.asyncDispose]();
  });

  it('goes on, with the daemon and without, and nothing is half-made', async ({expect, skip}) => {
    if (mounted.length < 2) return skip('no file system can be mounted here');
    const shell = ['shell', '--without', 'standby', '--', 'echo', 'hello'];
    await rig.startDaemon();
    expect(await rig.run(shell)).toMatchObject({status: 0, stdout: 'hello\n'}); // the copy of /etc is there now
    for (const path of mounted) spawnSync('dd', ['if=/dev/zero', `of=${join(path, 'filler')}`, 'bs=64k']);
    expect(await rig.run(shell)).toMatchObject({status: 0, stdout: 'hello\n'});
    expect(await rig.run(shell, {env: {BOOTCUT_NO_DAEMON: '1'}})).toMatchObject({status: 0, stdout: 'hello\n'});
    // One that waits needs no disk; the template that would be made first finds no room.
    expect((await rig.run(['standby', 'start'])).status).toBe(0);
    expect(await rig.run(['shell', '--', 'echo', 'taken'])).toMatchObject({status: 0, stdout: 'taken\n'});
    const templates = join(rig.home, '.cache', 'bootcut', 'qemu', 'templates');
    if (existsSync(templates)) expect((await rig.shell(`find ${templates} -type f`)).stdout).toBe('');
    // Why, in one line, and what is to be done.
    const {stdout} = await rig.run(['doctor']);
    expect(stdout).toMatch(/^warning +qemu: saved VMs +\d+ MiB are free for \S+ and 160 are needed to save a VM/m);
  });
});

describe.skipIf(!canBootGuests() || process.getuid?.() !== 0)('a disk that is full when a VM is saved', () => {
  /** QEMU that notes the starts of guests. */
  const countingQemu = (log: string): string =>
    `#!/bin/sh\ncase "$*" in *-fsdev*) echo start >> ${log} ;; esac\nexec /usr/bin/qemu-system-x86_64 "$@"\n`;

  it('costs the VM that waits a second boot and launches nothing, is said once, and leaves nothing', async ({
    expect,
    skip,
  }) => {
    await using rig = await LaunchRig.create({env: emulated});
    await giveGuest(rig);
    const log = join(rig.root, 'starts');
    const path = await rig.script('counting-qemu', countingQemu(log));
    await rig.run(['config', 'set', 'plugins.qemu.path', path]);
    await rig.run(['config', 'set', 'standby', 'false']);
    const starts = async (act: () => Promise<unknown>): Promise<number> => {
      await writeFile(log, '');
      await act();
      return (await readFile(log, 'utf8')).split('\n').length - 1;
    };
    const templates = join(rig.home, '.cache', 'bootcut', 'qemu', 'templates');
    await mkdir(templates, {recursive: true});
    // Inodes for the directory, for the template's own, and for the guest's memory; none for the rest of the machine.
    const disk = ['mount', '-t', 'tmpfs', '-o', 'size=400M,nr_inodes=3,mode=0700', 'tmpfs', templates] as const;
    if (spawnSync(disk[0], disk.slice(1)).status !== 0) return skip('no file system can be mounted here');
    try {
      await rig.startDaemon();
      const launch = async (...flags: readonly string[]): Promise<void> =>
        expect(await rig.run(['shell', ...flags, '--', 'echo', 'hello'])).toMatchObject({
          status: 0,
          stdout: 'hello\n',
        });
      expect(await starts(() => launch('--without', 'standby'))).toBe(1);
      // One whose template cannot be saved, then one that waits.
      expect(await starts(() => rig.run(['standby', 'start']))).toBe(2);
      expect(await readdir(templates)).toEqual([]);
      const said = await readFile(join(rig.state, 'log', 'standby.log'), 'utf8');
      expect(said.match(/the VM cannot be saved: the disk is full$/gm)).toHaveLength(1);
      expect(await starts(() => launch())).toBe(0);
      expect(await starts(() => launch('--without', 'standby'))).toBe(1);
    } finally {
      await rig.run(['daemon', 'stop']);
      execFileSync('umount', ['--lazy', templates]);
    }
  });
});
