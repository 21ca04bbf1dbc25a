import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {mkdir, symlink} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {bootcut, type LaunchRig} from './launch-rig.js';

const agent = fileURLToPath(new URL('../../plugins/qemu/native/bootcut-agent', import.meta.url));

/** Are QEMU, our own programs and Debian's kernel with 9p there? scripts/setup-tests.mjs sees to it where it can. */
export const canBootGuests = (): boolean => process.arch === 'x64' && existsSync(agent) && existsSync(qemu);

const qemu = '/usr/bin/qemu-system-x86_64';

/** A guest that `bootcut setup` has made of Debian's kernel: once for all tests of this build, in a directory of its own. */
const preparedGuest = (): string => {
  const build = createHash('sha256').update(readFileSync(agent)).digest('hex').slice(0, 12);
  const data = join(tmpdir(), `bootcut-test-guest-${process.geteuid?.() ?? 0}-${build}`);
  const env = {PATH: process.env['PATH'], HOME: data, BOOTCUT_DATA_DIR: data, BOOTCUT_NO_DAEMON: '1'};
  execFileSync('flock', [`${data}.lock`, bootcut, 'setup', '--runtime', 'qemu'], {env, stdio: 'ignore'});
  return join(data, 'qemu');
};

/** Environment of launches that boot a guest here: KVM does not work on every machine that has it, and is slow to say so. */
export const emulated = {BOOTCUT_RUNTIME: 'qemu', BOOTCUT_NOTICES: 'never'} as const;

/** Gives the rig's home the guest, and allows emulation there. */
export const giveGuest = async (rig: LaunchRig): Promise<void> => {
  const data = join(rig.home, '.local', 'share', 'bootcut');
  await mkdir(data, {recursive: true});
  await symlink(preparedGuest(), join(data, 'qemu'));
  await rig.run(['config', 'set', 'plugins.qemu.emulation', 'allow']);
};
