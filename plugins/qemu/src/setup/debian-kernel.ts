import {createHash} from 'node:crypto';
import {accessSync, constants, existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {candidateVersion, downloadPackage, hasApt, realPackage, takeFromPackage} from './apt.js';
import {readKernelImage} from './kernel-image.js';
import type {KernelSource, MadeKernel} from './kernels.js';
import {findModules, modulePatterns} from './modules.js';
import {inWorkshop} from './places.js';
import type {Say} from './say.js';
import {Trouble} from './trouble.js';

/** What a guest's kernel must have, built in or as a module. Debian's cloud kernels have no 9p. */
const options = ['NET_9P', 'NET_9P_VIRTIO', '9P_FS', 'OVERLAY_FS', 'VIRTIO_MMIO', 'VIRTIO_CONSOLE'];

/**
 * The distribution's own kernel: an installed one that will do, which needs neither network nor rights, else the one of
 * its package, taken out without being installed.
 */
export const debianKernel = async (workshops: string, say: Say, root = '/'): Promise<KernelSource> => {
  const release = installedReleases(root)[0];
  if (release !== undefined) return installedKernel(release, root);
  if (!hasApt()) {
    throw new Trouble(
      'there is no kernel in /boot that a guest could use, and no apt-get to fetch one with',
      'Name one: bootcut setup --runtime qemu --kernel PATH',
    );
  }
  const name = await realPackage('linux-image-amd64', /^linux-image-\d\S*-amd64$/);
  const version = await candidateVersion(name);
  return {
    kind: 'debian',
    title: `${name} ${version}, from its package`,
    key: ['package', name, version],
    make: () =>
      inWorkshop(workshops, async (directory) => {
        say.line(`Fetching ${name} (about 70 MB; it is not installed).`);
        const deb = await downloadPackage(name, directory);
        say.line('Taking the kernel and its modules out of it.');
        await takeFromPackage(deb, ['./boot/*', '*/modules.builtin', ...modulePatterns], directory);
        return await makeFrom(join(directory, 'boot'), join(directory, 'lib', 'modules'));
      }),
  };
};

const installedKernel = (release: string, root: string): KernelSource => {
  const path = join(root, 'boot', `vmlinuz-${release}`);
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
  return {
    kind: 'debian',
    title: `${release}, from ${path}`,
    key: ['boot', release, digest],
    make: () => makeFrom(join(root, 'boot'), join(root, 'lib', 'modules'), release),
  };
};

/** Releases that will do, newest first. */
const installedReleases = (root: string): readonly string[] => {
  const boot = join(root, 'boot');
  const names = existsSync(boot) ? readdirSync(boot) : [];
  return names
    .filter((name) => name.startsWith('vmlinuz-'))
    .map((name) => name.slice('vmlinuz-'.length))
    .filter((release) => isReadable(join(boot, `vmlinuz-${release}`)) && hasOptions(join(boot, `config-${release}`)))
    .filter((release) => existsSync(join(root, 'lib', 'modules', release, 'modules.builtin')))
    .sort((one, other) => other.localeCompare(one, 'en', {numeric: true}));
};

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK); // some distributions keep kernels to root
    return true;
  } catch {
    return false;
  }
};

const hasOptions = (path: string): boolean => {
  try {
    const config = readFileSync(path, 'utf8');
    return options.every((name) => new RegExp(`^CONFIG_${name}=[ym]$`, 'm').test(config));
  } catch {
    return false;
  }
};

const makeFrom = async (boot: string, modules: string, wanted?: string): Promise<MadeKernel> => {
  const file =
    wanted === undefined ? readdirSync(boot).find((name) => name.startsWith('vmlinuz-')) : `vmlinuz-${wanted}`;
  if (file === undefined) throw new Trouble(`there is no kernel in ${boot}`);
  const path = join(boot, file);
  const {image, release, packedFor} = await readKernelImage(readFileSync(path), path);
  return {
    image,
    release,
    modules: await findModules(join(modules, file.slice('vmlinuz-'.length))),
    ...(packedFor === undefined ? {} : {note: packedNote(packedFor)}),
  };
};

/** Also of a kernel that the user named. */
export const packedNote = (program: string): string =>
  `The kernel stays compressed, which costs every boot some 0.3 s: ${program} is not installed to unpack it.`;
