import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {statfs} from 'node:fs/promises';
import {dirname} from 'node:path';
import {type Finding, type Launch, NoAnswer, type ReadTools} from 'bootcut/plugin';
import {cacheDirectory, dataDirectory} from './directories.js';
import {askEmulator} from './emulator-lookup.js';
import {noFlags} from './flags.js';
import {findGuestFiles, type GuestFiles} from './guest-files.js';
import {type KvmState, kvmDevice} from './kvm-device.js';
import {probeKvm} from './kvm-lookup.js';
import {setupCommand} from './parts.js';
import {findNative, findQemu, qemuPackage} from './programs.js';
import {weighWishes} from './settings.js';

/** Everything between a user and a microVM of ours, each with the one command that puts it right. */
export const diagnose = async (launch: Launch, {signal}: Pick<ReadTools, 'signal'>): Promise<readonly Finding[]> => {
  const guest = findGuestFiles(dataDirectory(launch.env));
  const qemu = findQemu(launch);
  if (guest === undefined && launch.options.runtime !== 'qemu') {
    // Whoever has never set it up does without.
    return [{name: 'guest', state: 'ok', text: `not prepared; for a microVM without agent-vm: ${setupCommand}`}];
  }
  const kvm = await kvmState(launch, qemu, guest, signal);
  return [
    await qemuFinding(launch, qemu, signal),
    ...nativeFindings(),
    guestFinding(guest),
    ...kvmFindings(launch, kvm),
    ...(await roomFindings(cacheDirectory(launch.env))),
    ...weighWishes(launch, noFlags).complaints.map((text): Finding => ({name: 'settings', state: 'warning', text})),
  ];
};

const qemuFinding = async (launch: Launch, path: string | undefined, signal: AbortSignal): Promise<Finding> => {
  const name = 'QEMU';
  if (path === undefined)
    return {name, state: 'fault', text: 'it is not installed', advice: `sudo apt-get install ${qemuPackage}`};
  try {
    const {version, microvm} = await askEmulator(launch, path, signal);
    if (microvm) return {name, state: 'ok', text: `${version}, ${path}`};
    return {
      name,
      state: 'fault',
      text: `${path} (${version}) has no machine type microvm`,
      advice: `sudo apt-get install ${qemuPackage}, or set plugins.qemu.path`,
    };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return {name, state: 'fault', text: error.message};
  }
};

/** Built with bootcut where there is a C compiler. */
const nativeFindings = (): readonly Finding[] => {
  const missing = (['bootcut-vm', 'bootcut-agent'] as const).filter((name) => findNative(name) === undefined);
  if (missing.length === 0) return [];
  const text = `${missing.join(' and ')} not built: there was no C compiler`;
  return [{name: 'programs', state: 'fault', text, advice: 'sudo apt-get install gcc libc6-dev, then: npm run build'}];
};

const guestFinding = (guest: GuestFiles | undefined): Finding => {
  const name = 'guest';
  if (guest === undefined) return {name, state: 'fault', text: 'it is not prepared', advice: setupCommand};
  const about = `Linux ${guest.release} (${guest.kind}), ${guest.directory}`;
  const agent = findNative('bootcut-agent');
  const digest = agent === undefined ? undefined : createHash('sha256').update(readFileSync(agent)).digest('hex');
  if (digest === undefined || digest.startsWith(guest.agent)) return {name, state: 'ok', text: about};
  return {name, state: 'warning', text: `${about}: prepared by another build of bootcut`, advice: setupCommand};
};

/** What `bootcut-vm keep` wants free for a saved VM before it makes one (native/host/template.c). MiB. */
const roomWanted = 160;

/** Where the disk has no room for a saved VM none is made, and launches for which none waits boot. */
const roomFindings = async (directory: string): Promise<readonly Finding[]> => {
  const free = await freeMebibytes(directory);
  if (free === undefined || free >= roomWanted) return [];
  const text = `${free} MiB are free for ${directory} and ${roomWanted} are needed to save a VM: launches for which none waits boot`;
  return [
    {name: 'saved VMs', state: 'warning', text, advice: 'Make room there, or name another place: XDG_CACHE_HOME'},
  ];
};

/** Of the nearest directory above that is there; undefined where that cannot be found out. */
const freeMebibytes = async (directory: string): Promise<number | undefined> => {
  try {
    const {bavail, bsize} = await statfs(directory);
    return Math.floor((bavail * bsize) / 1024 / 1024);
  } catch {
    return dirname(directory) === directory ? undefined : await freeMebibytes(dirname(directory));
  }
};

const kvmState = async (
  launch: Launch,
  qemu: string | undefined,
  guest: GuestFiles | undefined,
  signal: AbortSignal,
): Promise<KvmState | undefined> => {
  const device = kvmDevice();
  if (!device.usable) return device;
  // The device opens, and there is nothing yet to try a guest with.
  return qemu === undefined || guest === undefined ? undefined : await probeKvm(launch, qemu, guest, signal);
};

const kvmFindings = (launch: Launch, kvm: KvmState | undefined): readonly Finding[] => {
  const name = 'KVM';
  if (kvm === undefined) return [{name, state: 'ok', text: 'the device opens; whether a guest runs is not known yet'}];
  if (kvm.usable) return [{name, state: 'ok', text: 'a guest runs on it'}];
  const {emulation} = weighWishes(launch, noFlags);
  const advice = kvm.advice === undefined ? {} : {advice: kvm.advice};
  return [
    {name, state: emulation ? 'warning' : 'fault', text: kvm.why, ...advice},
    emulation
      ? {name: 'emulation', state: 'ok', text: 'allowed: VMs are emulated, several times slower'}
      : {
          name: 'emulation',
          state: 'ok',
          text: 'not allowed: without KVM no VM starts; to allow it: bootcut config set plugins.qemu.emulation allow',
        },
  ];
};
