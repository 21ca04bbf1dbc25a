import type {Json, Launch} from 'bootcut/plugin';
import {dataDirectory} from './directories.js';
import {parseEmulator} from './emulator-lookup.js';
import {findGuestFiles} from './guest-files.js';
import type {Machine} from './machine.js';
import {findNative, findQemu, qemuPackage} from './programs.js';

/** What prepares a guest. */
export const setupCommand = 'bootcut setup --runtime qemu';

/** Everything that must be there before a VM can start. */
export interface Parts {
  readonly program: string;
  readonly qemu: string;
  readonly etc: string;
  readonly machine: Pick<Machine, 'kernel' | 'initrd' | 'tscKhz' | 'sandbox'>;
}

/** The parts of a launch, or the first that is missing, with the next step. */
export const findParts = (
  launch: Launch,
  answers: Readonly<Record<string, Json>>,
  program = findNative('bootcut-vm'),
): Parts | string => {
  if (process.arch !== 'x64')
    return `the runtime qemu boots x86-64 guests on x86-64 hosts only, and this is ${process.arch}`;
  if (program === undefined)
    return 'the program bootcut-vm has not been built: install a C compiler (on Debian: sudo apt-get install gcc libc6-dev), then build bootcut again (npm run build)';
  const qemu = findQemu(launch);
  if (qemu === undefined) return `QEMU is not installed; run: sudo apt-get install ${qemuPackage}`;
  const emulator = answers['qemu/emulator'];
  const known = emulator === undefined ? undefined : parseEmulator(emulator);
  if (known?.microvm === false)
    return `${qemu} (QEMU ${known.version}) has no machine type microvm; install the distribution's ${qemuPackage}, or name another QEMU by the setting plugins.qemu.path`;
  const guest = findGuestFiles(dataDirectory(launch.env));
  if (guest === undefined) return `there is no guest to boot yet; run: ${setupCommand}`;
  const etc = answers['qemu/etc'];
  if (typeof etc !== 'string')
    return "the guest's copy of /etc could not be made; 'bootcut steps shell --runtime qemu' says why";
  const counter = answers['qemu/counter'];
  return {
    program,
    qemu,
    etc,
    machine: {
      kernel: guest.kernel,
      initrd: guest.initrd,
      tscKhz: typeof counter === 'number' ? counter : undefined,
      sandbox: known?.sandbox === true,
    },
  };
};
