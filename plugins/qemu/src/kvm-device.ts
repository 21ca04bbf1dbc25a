import {closeSync, constants, openSync, readFileSync, statSync} from 'node:fs';
import {userInfo} from 'node:os';

/** Can KVM be used? If not: why, as a whole sentence without a full stop, and the one thing to do about it. */
export type KvmState =
  | {readonly usable: true}
  | {readonly usable: false; readonly why: string; readonly advice: string | undefined};

/** Looks at the device file by opening it: about 20 µs. That it opens does not mean that a guest runs: see `kvmLookup`. */
export const kvmDevice = (path = '/dev/kvm', accounts = readAccounts()): KvmState => {
  try {
    closeSync(openSync(path, constants.O_RDWR));
    return {usable: true};
  } catch (error) {
    return {usable: false, ...reason(path, (error as NodeJS.ErrnoException).code ?? 'unknown', accounts)};
  }
};

/** Who is in which group: by the system's list, and by what this process was given. */
export interface Accounts {
  readonly user: string;
  readonly groupFile: string;
  readonly active: readonly number[];
}

const readAccounts = (): Accounts => ({
  user: userName(),
  groupFile: textOf('/etc/group'),
  active: process.getgroups?.() ?? [],
});

type Reason = Omit<Extract<KvmState, {usable: false}>, 'usable'>;

const reason = (path: string, code: string, accounts: Accounts): Reason => {
  switch (code) {
    case 'ENOENT':
      return {
        why: `this machine has no ${path}`,
        advice:
          'Switch virtualisation on in the firmware (in a cloud VM: nested virtualisation), then: sudo modprobe kvm_intel || sudo modprobe kvm_amd',
      };
    case 'EACCES':
    case 'EPERM':
      return noRight(path, statSync(path, {throwIfNoEntry: false})?.gid, accounts);
    case 'EBUSY':
      return {why: `${path} is busy: another hypervisor uses the processor`, advice: 'End the other hypervisor.'};
    case 'ENODEV':
    case 'ENXIO':
      return {
        why: `${path} is there, but the kernel's KVM is not loaded`,
        advice: 'sudo modprobe kvm_intel || sudo modprobe kvm_amd',
      };
    default:
      return {why: `${path} cannot be opened (${code})`, advice: undefined};
  }
};

/** The group that owns the device is the way in; opening it to everybody is never one. */
export const noRight = (path: string, gid: number | undefined, {user, groupFile, active}: Accounts): Reason => {
  const line = groupFile.split('\n').find((text) => text.split(':')[2] === String(gid));
  const [group = String(gid ?? '?'), , , members = ''] = (line ?? '').split(':');
  if (gid === undefined || gid === 0 || line === undefined) {
    return {
      why: `you have no right to ${path}, which belongs to no group of users`,
      advice: 'Install the package that sets its group up (on Debian: sudo apt-get install udev), and restart.',
    };
  }
  if (members.split(',').includes(user) && !active.includes(gid)) {
    return {
      why: `you are in the group ${group}, which has the right to ${path}, but not since this session began`,
      advice: 'Log out and in again, then: bootcut daemon stop',
    };
  }
  return {
    why: `you have no right to ${path}: it belongs to the group ${group}`,
    advice: `sudo usermod -aG ${group} ${user}   (then log out and in again)`,
  };
};

const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '?');
  }
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
