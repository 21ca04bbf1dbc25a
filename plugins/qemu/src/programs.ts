import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {findExecutable, type Launch} from 'bootcut/plugin';
import {homeDirectory} from './directories.js';

/** The plugin's own directory: this file is at dist/ (or src/ in a test). */
const pluginRoot = fileURLToPath(new URL('..', import.meta.url));

/** Where a file of a package of this platform may be: beside bootcut's own package or below it. */
const packagedPlaces = (kind: 'launcher' | 'kernel', ...file: readonly string[]): readonly string[] => {
  const packaged = join(`bootcut-${kind}-${process.platform}-${process.arch}`, ...file);
  const bootcut = join(pluginRoot, '..', '..');
  return [join(bootcut, '..', packaged), join(bootcut, 'node_modules', packaged)];
};

/** Where the build leaves the native programs, and where a release has them. */
const nativePlaces = (name: string): readonly string[] => [
  join(pluginRoot, 'native', name),
  ...packagedPlaces('launcher', 'bin', name),
];

/** The program that runs a VM on the host, the one in the guest, and the one that measures the time stamp counter. */
export type NativeName = 'bootcut-vm' | 'bootcut-agent' | 'tsc-khz';

/** A native program of ours; undefined where it has not been built (no C compiler). */
export const findNative = (name: NativeName): string | undefined => nativePlaces(name).find((path) => existsSync(path));

/** The small kernel of a release; undefined in a checkout, and where npm was told to leave optional packages out. */
export const findKernelPackage = (): string | undefined =>
  packagedPlaces('kernel', 'vmlinux').find((path) => existsSync(path));

/** Our setup program, for Node. */
export const setupProgram = join(pluginRoot, 'dist', 'setup-main.js');

/** What small kernels are made of. */
export const smallKernelFragment = join(pluginRoot, 'kernel', 'small.config');

/** QEMU's name and the Debian package it comes in. */
export const qemuName = 'qemu-system-x86_64';
export const qemuPackage = 'qemu-system-x86';

/** Red Hat's builds lie outside of PATH. */
const otherPlaces = ['/usr/bin/qemu-system-x86_64', '/usr/libexec/qemu-kvm'];

/** The QEMU of a launch: the setting `path`, else PATH. */
export const findQemu = (launch: Pick<Launch, 'env' | 'cwd' | 'settings'>): string | undefined => {
  const setting = launch.settings['path'];
  if (typeof setting === 'string' && setting !== '') {
    const home = homeDirectory(launch.env) ?? '~';
    return findExecutable(launch, setting.startsWith('~/') ? join(home, setting.slice(2)) : setting);
  }
  return [qemuName, ...otherPlaces].map((name) => findExecutable(launch, name)).find((path) => path !== undefined);
};
