import {statSync} from 'node:fs';
import {
  fileIdentity,
  hours,
  type Json,
  type Launch,
  type LookupStep,
  lookup,
  ms,
  NoAnswer,
  type RunResult,
  run,
} from 'bootcut/plugin';
import {bootId} from './counter-lookup.js';
import {dataDirectory} from './directories.js';
import {findGuestFiles, type GuestFiles} from './guest-files.js';
import {isRecord} from './is-record.js';
import {type KvmState, kvmDevice} from './kvm-device.js';
import {kernelCommandLine} from './machine.js';
import {findQemu} from './programs.js';
import {startsGuest} from './verbs.js';

/** A kernel without anything to start is through in well under a second where KVM works; some hosts never let it run. */
const limit = ms(2000);

/** Least that any of our kernels boots in, MiB. */
const memory = 128;

/**
 * Boots the guest's kernel on KVM with nothing to run: it comes to where it would start the first program, says so and
 * ends the machine. That the device opens says little: on hosts with half-way nested virtualisation QEMU aborts, or the
 * guest stands still for good.
 */
export const probeKvm = async (
  launch: Launch,
  qemu: string,
  {kernel}: Pick<GuestFiles, 'kernel'>,
  signal: AbortSignal,
): Promise<KvmState> => {
  const machine = ['-M', 'microvm,rtc=on', '-accel', 'kvm', '-cpu', 'host', '-m', String(memory)];
  const guest = ['-kernel', kernel, '-append', kernelCommandLine({accelerator: 'kvm'})];
  const rest = ['-no-reboot', '-nodefaults', '-no-user-config', '-display', 'none', '-serial', 'stdio'];
  try {
    return judge(await run(launch, [qemu, ...machine, ...guest, ...rest], {signal, limit}));
  } catch (error) {
    // The step's own limit is longer: what ends here is a guest that does not get on.
    if (!(error instanceof NoAnswer) || error.reason !== 'timed-out' || signal.aborted) throw error;
    return unusable(`a guest on KVM does not come up on this host: none within ${limit / 1000} s`);
  }
};

const judge = ({code, stdout, stderr}: RunResult): KvmState => {
  if (/Unable to mount root fs|No working init found|Run \/init as init/.test(stdout)) return {usable: true};
  const words = stderr
    .split('\n')
    .map((line) => line.replace(/^\S*qemu\S*:\s*/, '').trim())
    .find((line) => line !== '' && !/warning:/i.test(line));
  if (/msr/i.test(words ?? ''))
    return unusable(
      "QEMU aborts on this host's KVM, which does not know a processor register (MSR) that the guest needs",
    );
  const how = code === null ? 'is ended by a signal' : `ends with ${code}`;
  return unusable(`QEMU ${how} on KVM${words === undefined ? '' : `: ${words.slice(0, 200)}`}`);
};

const unusable = (why: string): KvmState => ({
  usable: false,
  why,
  advice: 'If this machine is itself a VM, its host has to offer nested virtualisation.',
});

/** The device as a file: a changed right or group is another one. */
const deviceIdentity = (path = '/dev/kvm'): string => {
  const stat = statSync(path, {throwIfNoEntry: false});
  return stat === undefined ? 'absent' : [stat.ino, stat.rdev, stat.mode, stat.uid, stat.gid].join(':');
};

/** Does a guest run on KVM here? Asked once for each start of the host, device, QEMU and kernel. */
export const kvmLookup: LookupStep<KvmState & Json> = lookup<KvmState & Json>({
  name: 'kvm',
  neededBy: 'boot',
  // What hangs on a host that was too busy must not be true for long.
  freshFor: hours(6),
  keepFor: hours(24 * 7),
  private: true,
  when: (launch) =>
    startsGuest(launch) && kvmDevice().usable && findGuestFiles(dataDirectory(launch.env)) !== undefined,
  key: (launch) => {
    const qemu = findQemu(launch);
    const kernel = findGuestFiles(dataDirectory(launch.env))?.kernel;
    return [bootId(), deviceIdentity(), qemu, qemu && fileIdentity(qemu), kernel && fileIdentity(kernel)];
  },
  read: async (launch, {signal}) => {
    const qemu = findQemu(launch);
    const guest = findGuestFiles(dataDirectory(launch.env));
    if (qemu === undefined || guest === undefined)
      throw new NoAnswer('not-installed', 'there is no guest to try KVM with');
    return toJson(await probeKvm(launch, qemu, guest, signal));
  },
  parse: (stored) => toJson(parseKvm(stored)),
});

const toJson = (state: KvmState): KvmState & Json =>
  state.usable ? {usable: true} : ({usable: false, why: state.why, advice: state.advice ?? null} as KvmState & Json);

/** A stored answer of the probe. */
export const parseKvm = (stored: unknown): KvmState => {
  if (isRecord(stored)) {
    const {usable, why, advice} = stored;
    if (usable === true) return {usable};
    if (usable === false && typeof why === 'string')
      return {usable, why, advice: typeof advice === 'string' ? advice : undefined};
  }
  throw new NoAnswer('malformed', 'not what a try of KVM came to');
};
