/** A host directory that the guest can mount by 9p. */
export interface SharedDirectory {
  /** Mount tag: 9p allows 31 bytes; ours are short words. */
  readonly tag: string;
  /** Absolute host path. */
  readonly path: string;
  readonly access: 'ro' | 'rw';
  /** It is of one file system: what is in it needs no inode numbers of QEMU's own. */
  readonly isOneDisk?: boolean;
}

/** Everything that decides what QEMU's machine is made of. The channels to the guest are `bootcut-vm`'s to add. */
export interface Machine {
  /** An uncompressed kernel with a PVH note, or a bzImage. */
  readonly kernel: string;
  readonly initrd: string;
  /** MiB. */
  readonly memory: number;
  readonly cpus: number;
  readonly accelerator: 'kvm' | 'tcg';
  /** Counts of the host's time stamp counter in a millisecond; under emulation the guest sees this very counter. */
  readonly tscKhz?: number | undefined;
  readonly shares: readonly SharedDirectory[];
  readonly net: 'none' | 'user';
  /** Does this QEMU know `-sandbox`? A build without seccomp refuses the option. */
  readonly sandbox?: boolean;
  /** Keep the guest's memory in this file (for a saved VM): shared to write it, private to start from it. */
  readonly memoryFile?: {readonly path: string; readonly shared: boolean};
}

/**
 * The processor that emulated guests see. Boots as fast as `qemu64` (0.96 s each against 1.13 s for `max`), and has
 * SSE4.2 and POPCNT, which builds for x86-64-v2 need. The name without `-v1` makes QEMU warn about `spec-ctrl`.
 */
const emulatedProcessor = 'Nehalem-v1';

/** QEMU's arguments for a machine. */
export const machineArguments = (machine: Machine): readonly string[] => [
  '-M',
  `microvm,rtc=on${needsMoreSlots(machine) ? '' : ',ioapic2=off'}${machine.memoryFile === undefined ? '' : ',memory-backend=mem'}`,
  ...['-accel', machine.accelerator],
  ...['-cpu', machine.accelerator === 'kvm' ? 'host' : emulatedProcessor],
  ...['-m', String(machine.memory)],
  ...['-smp', String(machine.cpus)],
  ...memoryArguments(machine),
  ...['-kernel', machine.kernel, '-initrd', machine.initrd, '-append', kernelCommandLine(machine)],
  ...['-no-reboot', '-nodefaults', '-no-user-config', '-display', 'none'],
  ...(machine.sandbox === true ? ['-sandbox', sandbox] : []),
  ...machine.shares.flatMap(shareArguments),
  ...(machine.net === 'user' ? ['-netdev', 'user,id=net', '-device', 'virtio-net-device,netdev=net'] : []),
];

/** Slots for devices beside one interrupt controller, and with a second one. */
const fewSlots = 8;
const mostSlots = 24;

/**
 * Each slot, used or not, costs QEMU half a millisecond of every start, and the guest's kernel a look at every boot. One is
 * for the channels that `bootcut-vm` adds.
 */
const needsMoreSlots = (machine: Machine): boolean => slotsFor(machine) > fewSlots;

const slotsFor = ({shares, net}: Pick<Machine, 'shares' | 'net'>): number =>
  1 + shares.length + (net === 'none' ? 0 : 1);

/** How many directories there are more than the machine can have; 0: it can have them all. */
export const sharesTooMany = (machine: Pick<Machine, 'shares' | 'net'>): number =>
  Math.max(0, slotsFor(machine) - mostSlots);

/** What QEMU has no need for: old system calls, other programs, other users, other priorities. */
const sandbox = 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny';

/**
 * The kernel's command line. Under emulation the microvm machine has no clock to calibrate the time stamp counter with
 * but the PIT, at which a busy host fails: a third of the boots then hang for good (25 boots each: 7 to 9 hang without
 * `tsc_early_khz`, none with it). Under KVM the guest asks KVM. Emulation has no speculation that could be misused, and
 * translates a program anew wherever it is put: `mitigations=off` takes a tenth off the boot, `norandmaps` (programs always
 * at the same addresses) two thirds off each program after the first. The rest is time: no self-tests of ciphers (0.3 s), no
 * rewriting of locks for one processor (0.15 s), no security modules (0.1 s), no groups and no stall times of processes that
 * nobody asks for (450 blocks of code less until a restored guest's first command has written).
 */
export const kernelCommandLine = ({accelerator, tscKhz}: Pick<Machine, 'accelerator' | 'tscKhz'>): string =>
  [
    'console=ttyS0 reboot=t panic=-1 quiet',
    ...(accelerator === 'kvm' ? [] : [...emulatedClock(tscKhz), 'mitigations=off norandmaps']),
    'cryptomgr.notests noreplace-smp lsm= noautogroup psi=0',
  ].join(' ');

const emulatedClock = (tscKhz: number | undefined): readonly string[] =>
  tscKhz === undefined ? ['no_timer_check'] : [`tsc_early_khz=${tscKhz}`, 'tsc=reliable', 'no_timer_check'];

const memoryArguments = ({memory, memoryFile}: Machine): readonly string[] => {
  if (memoryFile === undefined) return [];
  const share = memoryFile.shared ? 'on' : 'off';
  return ['-object', `memory-backend-file,id=mem,size=${memory}M,mem-path=${listItem(memoryFile.path)},share=${share}`];
};

/**
 * `security_model=none`: files belong to whom QEMU runs as, which is the user, and no trace is left in extended
 * attributes. `remap` keeps apart files of several file systems below one directory; its table is a megabyte, made at every
 * start.
 */
const shareArguments = ({tag, path, access, isOneDisk}: SharedDirectory): readonly string[] => [
  '-fsdev',
  `local,id=${tag},path=${listItem(path)},security_model=none${isOneDisk === true ? '' : ',multidevs=remap'}${access === 'ro' ? ',readonly=on' : ''}`,
  '-device',
  `virtio-9p-device,fsdev=${tag},mount_tag=${tag}`,
];

/** A comma ends an item of QEMU's lists; a doubled one is a comma. */
const listItem = (text: string): string => text.replaceAll(',', ',,');
