import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {join} from 'node:path';
import {smallKernelFragment} from '../programs.js';
import {
  candidateVersion,
  downloadPackage,
  hasApt,
  installCommand,
  installPackages,
  isRoot,
  realPackage,
  takeFromPackage,
} from './apt.js';
import {readKernelImage} from './kernel-image.js';
import type {KernelSource, MadeKernel} from './kernels.js';
import {inWorkshop} from './places.js';
import {hasProgram, runChecked, runProgram} from './programs.js';
import {countTo, progressStep, type Say} from './say.js';
import {Trouble} from './trouble.js';

/** What building a kernel needs, and the Debian package it comes in. */
const tools = [
  ['gcc', 'gcc'],
  ['make', 'make'],
  ['bc', 'bc'],
  ['flex', 'flex'],
  ['bison', 'bison'],
  ['xz', 'xz-utils'],
] as const;

/** Files compiled, linked or made, each a line of `make`'s: 1,844 with Debian's 6.1. Only for the percentage. */
const expectedLines = 1844;

/** Without these there is no guest; the rest of the fragment may go with a version of Linux that has it no more. */
const needed =
  'ACPI BLK_DEV_INITRD DEVTMPFS NET_9P_VIRTIO OVERLAY_FS PVH SERIAL_8250_CONSOLE TMPFS UNIX98_PTYS VIRTIO_CONSOLE VIRTIO_MMIO 9P_FS'.split(
    ' ',
  );

/** A kernel built here from Debian's sources with only what a guest needs, kept by what it was made of. */
export const smallKernel = async (workshops: string, say: Say): Promise<KernelSource> => {
  if (!hasApt())
    throw new Trouble('the small kernel is made from Debian’s linux-source package, and there is no apt-get');
  await requireTools(say);
  const source = await findSource();
  const fragment = readFileSync(smallKernelFragment, 'utf8');
  const compiler = (await runChecked(['gcc', '--version'])).toString('utf8').split('\n')[0] ?? '';
  return {
    kind: 'small',
    title: `built from ${source.name} ${source.version}`,
    key: [source.name, source.version, fragment, compiler],
    make: () =>
      inWorkshop(workshops, async (directory) => {
        await unpackSource(source, directory, say);
        return await build(directory, fragment, say);
      }),
  };
};

const requireTools = async (say: Say): Promise<void> => {
  const missing = (): readonly string[] => [
    ...tools.filter(([program]) => !hasProgram(program)).map(([, name]) => name),
    ...(existsSync('/usr/include/libelf.h') ? [] : ['libelf-dev']),
    ...(existsSync('/usr/include/stdio.h') ? [] : ['libc6-dev']),
  ];
  if (missing().length > 0 && isRoot()) await installPackages(missing(), say);
  const left = missing();
  if (left.length > 0) throw new Trouble(`building a kernel needs ${left.join(', ')}`, `Run: ${installCommand(left)}`);
};

interface Source {
  readonly name: string;
  readonly version: string;
  /** The archive of the installed package; undefined: to be fetched. */
  readonly archive: string | undefined;
}

const findSource = async (): Promise<Source> => {
  const installed = existsSync('/usr/src') ? readdirSync('/usr/src') : [];
  const file = installed
    .filter((name) => /^linux-source-[\d.]+\.tar\.xz$/.test(name))
    .sort((one, other) => other.localeCompare(one, 'en', {numeric: true}))[0];
  if (file !== undefined) {
    const name = file.slice(0, -'.tar.xz'.length);
    const query = await runProgram(['dpkg-query', '-W', '-f', '${Version}', name]);
    const version = query.stdout.toString('utf8');
    if (query.code === 0 && version !== '') return {name, version, archive: join('/usr/src', file)};
  }
  const name = await realPackage('linux-source', /^linux-source-[\d.]+$/);
  return {name, version: await candidateVersion(name), archive: undefined};
};

/** Most of the sources are drivers that this kernel has not; their build descriptions must be there all the same. */
const leftOut = [
  ...['gpu', 'infiniband', 'iio', 'media', 'net/ethernet', 'net/wireless', 'staging'].map(
    (name) => `*/drivers/${name}/*.[ch]`,
  ),
  ...[
    '*/sound/*.[ch]',
    '*/Documentation/*/*',
    '*/tools/testing/*',
    '*/tools/perf/*',
    '*/arch/[!x]*/*.[chS]',
    '*/dts/*',
  ],
];

const unpackSource = async ({name, archive}: Source, directory: string, say: Say): Promise<void> => {
  let file = archive;
  if (file === undefined) {
    say.line(`Fetching ${name} (about 140 MB; it is not installed).`);
    const deb = await downloadPackage(name, directory);
    await takeFromPackage(deb, ['./usr/src/*.tar.xz'], directory);
    file = join(directory, 'usr', 'src', `${name}.tar.xz`);
  }
  say.line('Unpacking the sources (0.5 GB, until the kernel is built).');
  const source = join(directory, 'source');
  mkdirSync(source);
  const exclude = leftOut.map((pattern) => `--exclude=${pattern}`);
  await runChecked(['tar', '-xJf', file, '--strip-components=1', ...exclude], {cwd: source});
};

const build = async (directory: string, fragment: string, say: Say): Promise<MadeKernel> => {
  const [source, output] = [join(directory, 'source'), join(directory, 'build')];
  // Nothing of when, where and by whom: equal sources make equal kernels.
  const env = {KBUILD_BUILD_TIMESTAMP: '@0', KBUILD_BUILD_USER: 'bootcut', KBUILD_BUILD_HOST: 'bootcut', LC_ALL: 'C'};
  const make = (...args: readonly string[]): readonly string[] => ['nice', 'make', `O=${output}`, ...args];
  const options = {cwd: source, env};
  mkdirSync(output);
  await runChecked(make('-s', 'tinyconfig'), options);
  const config = join(output, '.config');
  writeFileSync(config, fragment, {flag: 'a'});
  await runChecked(make('-s', 'olddefconfig'), options);
  const note = compareConfig(fragment, readFileSync(config, 'utf8'));
  const processors = Math.max(1, cpus().length);
  say.line(`Building the kernel, ${processors} ${processors === 1 ? 'file' : 'files'} at a time.`);
  const began = Date.now();
  const count = countTo(
    expectedLines,
    say,
    (percent, done) =>
      `Building: ${percent} % (${done} of about ${expectedLines} files, ${Math.round((Date.now() - began) / 1000)} s)`,
    process.stderr.isTTY ? 1 : progressStep,
  );
  await runChecked(make(`-j${processors}`, 'vmlinux'), {
    ...options,
    onLine: (line) => (/^ {2}[A-Z]/.test(line) ? count() : undefined),
  });
  const path = join(directory, 'vmlinux');
  await runChecked(['objcopy', '--strip-all', join(output, 'vmlinux'), path]);
  const {image, release} = await readKernelImage(readFileSync(path), path);
  say.line(`Built in ${Math.round((Date.now() - began) / 1000)} s.`);
  return {image, release, modules: [], ...(note === undefined ? {} : {note})};
};

/** Lines of the fragment that this version of Linux did not take. */
const compareConfig = (fragment: string, config: string): string | undefined => {
  const lines = new Set(config.split('\n'));
  const lost = fragment.split('\n').filter((line) => /^CONFIG_\w+=/.test(line) && !lines.has(line));
  const fatal = lost.filter((line) => needed.includes(/^CONFIG_(\w+)=/.exec(line)?.[1] ?? ''));
  if (fatal.length > 0) throw new Trouble(`these sources have no ${fatal.join(', ')}, which a guest needs`);
  return lost.length === 0 ? undefined : `This version of Linux has no ${lost.join(', ')}.`;
};
