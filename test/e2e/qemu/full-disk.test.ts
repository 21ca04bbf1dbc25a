import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
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
    if (existsSync(templates))
      expect((await rig.shell(`find ${templates} -name memory -o -name state -o -name '.memory'`)).stdout).toBe('');
  });
});
