/*
 * A guest for the tests and benches of the native part: `node guest.mjs DIRECTORY [KERNEL]` writes a kernel and an
 * initramfs of the agent and Debian's modules there. The plugin makes its own in TypeScript (src/).
 */
import {execFileSync} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** In the order in which they must be loaded; those that come later need those before. */
const wanted = [
  'drivers/virtio/virtio_ring',
  'drivers/virtio/virtio',
  'drivers/virtio/virtio_mmio',
  'drivers/char/virtio_console',
  'fs/netfs/netfs',
  'fs/fscache/fscache',
  'net/9p/9pnet',
  'net/9p/9pnet_virtio',
  'fs/9p/9p',
  'fs/overlayfs/overlay',
];

const pad = (length) => Buffer.alloc((4 - (length % 4)) % 4);
const hex = (number) => number.toString(16).padStart(8, '0');

/** One entry of a cpio archive of the "newc" form, as the kernel reads it. */
const entry = (inode, name, mode, content = Buffer.alloc(0)) => {
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length + 1, 0].map(hex).join('');
  const head = Buffer.from(`070701${fields}${name}\0`);
  return Buffer.concat([head, pad(head.length), content, pad(content.length)]);
};

export const composeInitramfs = (agent, modules) => {
  const parts = [entry(1, 'init', 0o100755, agent)];
  if (modules.length > 0) {
    parts.push(entry(2, 'modules', 0o40755));
    modules.forEach(({name, content}, index) => {
      parts.push(entry(3 + index, `modules/${name}.ko`, 0o100644, content));
    });
    parts.push(entry(1000, 'modules/order', 0o100644, Buffer.from(modules.map(({name}) => `${name}\n`).join(''))));
  }
  return Buffer.concat([...parts, entry(0, 'TRAILER!!!', 0)]);
};

/** The newest kernel of Debian's generic package. */
export const findKernel = (boot = '/boot') => {
  const found = readdirSync(boot)
    .filter((name) => /^vmlinuz-.*-amd64$/.test(name) && !name.includes('cloud') && !name.includes('rt-'))
    .sort((one, other) => statSync(join(boot, one)).mtimeMs - statSync(join(boot, other)).mtimeMs)
    .pop();
  return found === undefined ? undefined : join(boot, found);
};

/** What is compressed in a bzImage: an ELF file that QEMU starts at once (PVH), without unpacking it first. */
export const unpackKernel = (path) => {
  const image = readFileSync(path);
  const start = (image.readUInt8(0x1f1) + 1) * 512 + image.readUInt32LE(0x248);
  const payload = image.subarray(start, start + image.readUInt32LE(0x24c));
  const programs = [
    ['fd377a585a00', ['xz', '-dc', '--single-stream']],
    ['02214c18', ['lz4', '-dc']],
    ['28b52ffd', ['zstd', '-dc']],
    ['1f8b', ['gzip', '-dc']],
  ];
  const program = programs.find(([magic]) => payload.subarray(0, magic.length / 2).toString('hex') === magic);
  if (program === undefined) return image;
  // The payload ends with its unpacked length, which xz and others take for rubbish.
  return execFileSync(program[1][0], program[1].slice(1), {
    input: payload.subarray(0, -4),
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
};

const modulesOf = (version) =>
  wanted.flatMap((path) => {
    const file = `/lib/modules/${version}/kernel/${path}.ko`;
    try {
      return [{name: basename(path), content: readFileSync(file)}];
    } catch {
      return []; // built into this kernel
    }
  });

/** Writes `kernel` and `initramfs` into the directory. */
export const makeGuest = (directory, agent, kernel = findKernel()) => {
  if (kernel === undefined) throw new Error('no kernel: install linux-image-amd64');
  mkdirSync(directory, {recursive: true});
  writeFileSync(join(directory, 'kernel'), unpackKernel(kernel));
  const version = basename(kernel).replace('vmlinuz-', '');
  writeFileSync(join(directory, 'initramfs'), composeInitramfs(readFileSync(agent), modulesOf(version)));
};

/** Under emulation the guest's time stamp counter is the host's; to measure it fails on a busy host (prototypes.md, C1). */
const counterKhz = () => {
  const mhz = /^cpu MHz\s*:\s*([\d.]+)/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1];
  return Math.round(Number(mhz ?? 2000) * 1000);
};

const share = ({tag, path, access}) => [
  '-fsdev',
  `local,id=${tag},path=${path},security_model=none,multidevs=remap${access === 'ro' ? ',readonly=on' : ''}`,
  '-device',
  `virtio-9p-device,fsdev=${tag},mount_tag=${tag}`,
];

/** The options of `bootcut-vm` for a guest with the host's programs and one project, `--qemu …` among them. */
export const guestOptions = ({
  directory,
  project,
  qemu = 'qemu-system-x86_64',
  accelerator = 'tcg',
  memory = 512,
  user = `${process.getuid()}:${process.getgid()}:tester:/home/tester`,
  more = [],
}) => {
  const shares = [
    {tag: 'usr', path: '/usr', access: 'ro'},
    {tag: 'etc', path: '/etc', access: 'ro'},
    {tag: 'project', path: project, access: 'rw'},
    ...more,
  ];
  return [
    ...shares.flatMap(({tag, path, access}) => ['--share', `${tag}=${path},${access}`]),
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--link', `${name}=usr/${name}`]),
    ...['--user', user, '--cwd', project, '--hostname', 'guest'],
    ...['--qemu', qemu, '-M', 'microvm,rtc=on', '-accel', accelerator, '-cpu', 'Nehalem-v1', '-m', String(memory)],
    ...['-kernel', join(directory, 'kernel'), '-initrd', join(directory, 'initramfs'), '-append'],
    `console=ttyS0 reboot=t panic=-1 quiet tsc_early_khz=${counterKhz()} tsc=reliable no_timer_check cryptomgr.notests noreplace-smp lsm= mitigations=off norandmaps`,
    ...['-no-reboot', '-nodefaults', '-no-user-config', '-display', 'none'],
    ...shares.flatMap(share),
    '--end-qemu',
  ];
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  makeGuest(process.argv[2], fileURLToPath(new URL('bootcut-agent', import.meta.url)), process.argv[3]);
}
