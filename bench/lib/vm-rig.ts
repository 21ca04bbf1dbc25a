/** Homes with a guest in them, and the plain boot that everything is compared with. */
import {execFileSync, spawn} from 'node:child_process';
import {copyFileSync, mkdirSync, writeFileSync} from 'node:fs';
import {symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {bootcut, LaunchRig} from '../../test/rig/launch-rig.js';
import {emulated, giveGuest} from '../../test/rig/qemu-guest.js';
import {repository} from './bench.js';

/** A home whose launches boot Debian's kernel, or the small one (`setup` builds it once, in minutes, below node_modules). */
export const vmHome = async (kernel: 'debian' | 'small'): Promise<LaunchRig> => {
  const rig = await LaunchRig.create({env: emulated});
  if (kernel === 'debian') await giveGuest(rig);
  else {
    const data = join(repository, 'node_modules', '.cache', 'bootcut-small-guest');
    mkdirSync(data, {recursive: true});
    const env = {...process.env, BOOTCUT_DATA_DIR: data, BOOTCUT_NO_DAEMON: '1'};
    execFileSync(bootcut, ['setup', '--runtime', 'qemu', '--kernel', 'small'], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    mkdirSync(join(rig.home, '.local', 'share', 'bootcut'), {recursive: true});
    await symlink(join(data, 'qemu'), join(rig.home, '.local', 'share', 'bootcut', 'qemu'));
    await rig.run(['config', 'set', 'plugins.qemu.emulation', 'allow']);
  }
  await rig.shell(
    'git init -q . && git -c user.name=A -c user.email=a@b commit -q --allow-empty -m first; echo text > file',
  );
  await rig.startDaemon();
  return rig;
};

/** Milliseconds from the spawn to the first byte of the command's output; the launch must end with status 0. */
export const toFirstOutput = async (
  rig: LaunchRig,
  command: readonly string[],
  flags: readonly string[] = [],
): Promise<number> => {
  const began = performance.now();
  const child = spawn(bootcut, ['shell', ...flags, '--', ...command], {
    env: rig.environment(),
    cwd: rig.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let first = Number.NaN;
  let errors = '';
  child.stdout.once('data', () => (first = performance.now() - began));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const status = await new Promise((resolve) => child.once('close', resolve));
  if (status !== 0) throw new Error(`the launch ended with ${String(status)}: ${errors}`);
  return first;
};

/** Longest that a plain boot may take; then it hangs, as a third of them do under emulation. Milliseconds. */
const plainLimit = 15_000;

/** Debian's cloud kernel with a plain command line and busybox, as one would write it down first (prototypes.md, C2). */
export class PlainBoot {
  hung = 0;
  readonly #args: readonly string[];

  constructor(directory: string) {
    const root = join(directory, 'plain');
    mkdirSync(join(root, 'bin'), {recursive: true});
    copyFileSync('/bin/busybox', join(root, 'bin', 'busybox'));
    writeFileSync(join(root, 'init'), '#!/bin/busybox sh\necho boot-is-over\n/bin/busybox poweroff -f\n', {
      mode: 0o755,
    });
    const initrd = join(directory, 'plain.cpio');
    execFileSync('/bin/sh', ['-c', 'find . | cpio -o -H newc --quiet > "$1"', 'sh', initrd], {cwd: root});
    const kernel = execFileSync('/bin/sh', ['-c', 'ls /boot/vmlinuz-*-cloud-amd64 | tail -1'], {
      encoding: 'utf8',
    }).trim();
    this.#args = [
      ...[
        '-M',
        'microvm,rtc=on',
        '-accel',
        'tcg',
        '-cpu',
        'max',
        '-m',
        '512',
        '-smp',
        '1',
        '-no-reboot',
        '-nodefaults',
      ],
      ...['-display', 'none', '-serial', 'stdio', '-kernel', kernel, '-initrd', initrd],
      ...['-append', 'console=ttyS0 reboot=t panic=-1 quiet'],
    ];
  }

  /** Milliseconds from the spawn of QEMU to init's line; boots that hang are counted and done again. */
  async boot(): Promise<number> {
    for (let tries = 0; tries < 8; tries += 1) {
      const took = await this.#tryBoot();
      if (took !== undefined) return took;
      this.hung += 1;
    }
    return Number.NaN;
  }

  async #tryBoot(): Promise<number | undefined> {
    const began = performance.now();
    const child = spawn('qemu-system-x86_64', this.#args, {stdio: ['ignore', 'pipe', 'ignore']});
    const timer = setTimeout(() => child.kill('SIGKILL'), plainLimit);
    let text = '';
    let took: number | undefined;
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes('boot-is-over')) took ??= performance.now() - began;
    });
    await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    return took;
  }
}
