import {createHash} from 'node:crypto';
import {mkdirSync} from 'node:fs';
import {basename, join} from 'node:path';
import type {Json, Launch, PlanEdit} from 'bootcut/plugin';
import {stateDirectory} from './directories.js';
import {guestEnvironment} from './environment.js';
import {type GuestFlags, noFlags, parseFlags} from './flags.js';
import {guestUser} from './guest-user.js';
import {type HostRoot, hostRoot} from './host-root.js';
import {type HotFile, hotFiles} from './hot-files.js';
import {type KvmState, kvmDevice} from './kvm-device.js';
import {parseKvm} from './kvm-lookup.js';
import {type Machine, machineArguments, sharesTooMany} from './machine.js';
import {findParts, type Parts} from './parts.js';
import {setupProgram} from './programs.js';
import {findProject, physical} from './project.js';
import {weighWishes} from './settings.js';
import {type GuestDirectories, guestDirectories} from './shares.js';
import {templateDirectory} from './template.js';
import {startsGuest} from './verbs.js';

type Answers = Readonly<Record<string, Json>>;

/** Exit status of our own failures, and of a command line that makes no sense. */
const ownFailure = 125;
const usage = 2;

const refuse = (text: string, status = ownFailure): readonly PlanEdit[] => [
  {kind: 'refuse', text: `bootcut: ${text}`, status},
];

/** The whole plan of one launch: our host program with a machine, a guest and the caller's command, or why not. */
export const planLaunch = (launch: Launch, answers: Answers): readonly PlanEdit[] => {
  if (launch.verb === 'setup') return planSetup();
  if (!startsGuest(launch))
    return refuse(`the runtime qemu has no '${launch.verb}'; it has shell, run and setup`, usage);
  const parsed = launch.verb === 'run' ? {ok: true as const, flags: noFlags} : parseFlags(launch.argv, launch.cwd);
  if (!parsed.ok) return refuse(`${launch.verb}: ${parsed.text}`, usage);
  const parts = findParts(launch, answers);
  return typeof parts === 'string' ? refuse(parts) : planGuest(launch, answers, parsed.flags, parts);
};

/** The rest of the command line is the setup program's. */
const planSetup = (): readonly PlanEdit[] => [
  {kind: 'executable', path: process.execPath},
  {kind: 'prefix-args', args: ['node', setupProgram]},
];

/** The launch of a guest whose parts are there. */
export const planGuest = (launch: Launch, answers: Answers, flags: GuestFlags, parts: Parts): readonly PlanEdit[] => {
  const wishes = weighWishes(launch, flags);
  const root = hostRoot();
  const project = findProject(launch);
  const directories = guestDirectories({
    cwd: physical(launch.cwd),
    etc: parts.etc,
    root,
    project,
    mounts: flags.mounts,
  });
  if (typeof directories === 'string') return refuse(directories);
  const accelerator = chooseAccelerator(kvmState(answers), wishes.emulation);
  if (accelerator.kind === 'none') return refuse(accelerator.text);
  const machine: Machine = {
    ...parts.machine,
    memory: wishes.memory,
    cpus: wishes.cpus,
    net: wishes.net,
    accelerator: accelerator.kind,
    shares: directories.shares,
  };
  const tooMany = sharesTooMany(machine);
  if (tooMany > 0)
    return refuse(
      `--mount: ${tooMany} of ${flags.mounts.length} directories are more than a VM has devices for; share a directory that several of them are in`,
      usage,
    );
  const environment = guestEnvironment(launch, flags.env, directories.visible, answers['git-identity']);
  const attachable = wishes.attach ? attachableOption(launch, directories.project) : [];
  const joinable = attachable.length > 0;
  const user = userOption(launch);
  const hot = joinable ? [] : hotFiles(root.directories);
  const template = joinable ? '' : templateDirectory(launch, parts.qemu, machine, {user, etc: parts.etc, hot});
  const guest = [
    ...guestOptions(launch, directories, root),
    ...(wishes.net === 'user' ? ['--net'] : []),
    // A VM that others can join has ports for them, which no saved one has; and who joins one needs none that waits.
    ...(joinable ? attachable : ['--template', template]),
  ];
  const qemu = ['--qemu', parts.qemu, ...machineArguments(machine), '--end-qemu'];
  const options = [...guest, ...launchOptions(launch), ...environment.args, '--skip', String(flags.skip), ...qemu];
  return [
    {kind: 'executable', path: parts.program},
    {kind: 'prefix-args', args: ['bootcut-vm', 'run', ...options, '--']},
    ...(joinable
      ? []
      : [standbyEdit({parts, guest, hot, qemu, place: directories.project ?? launch.cwd, env: launch.env})]),
    ...environment.edits,
    ...[...accelerator.notices, ...wishes.complaints].map(
      (text): PlanEdit => ({kind: 'notice', text: `bootcut: ${text}`}),
    ),
  ];
};

type Accelerator =
  | {readonly kind: 'kvm' | 'tcg'; readonly notices: readonly string[]}
  | {readonly kind: 'none'; readonly text: string};

/** KVM where it works; emulation where it does not and the user allows it; never anything that is no VM. */
export const chooseAccelerator = (kvm: KvmState, emulation: boolean): Accelerator => {
  if (kvm.usable) return {kind: 'kvm', notices: []};
  if (emulation) return {kind: 'tcg', notices: [`${kvm.why}; the VM is emulated, which is several times slower`]};
  const advice = kvm.advice === undefined ? '' : `\n${kvm.advice}`;
  return {
    kind: 'none',
    text: `${kvm.why}, and emulation is not allowed${advice}\nTo allow a VM without KVM, several times slower: --emulate for one launch, or: bootcut config set plugins.qemu.emulation allow`,
  };
};

const kvmState = (answers: Answers): KvmState => {
  const device = kvmDevice();
  if (!device.usable) return device;
  const probed = answers['qemu/kvm'];
  if (probed !== undefined) return parseKvm(probed);
  return {
    usable: false,
    why: 'whether KVM works on this host could not be found out',
    advice: "'bootcut steps shell --runtime qemu' says why.",
  };
};

const userOption = (launch: Launch): string => {
  const {uid, gid, name, home} = guestUser(launch);
  return `${uid}:${gid}:${name}:${home}`;
};

/** What `bootcut-vm` is told of the guest. */
const guestOptions = (launch: Launch, directories: GuestDirectories, root: HostRoot): readonly string[] => {
  const user = guestUser(launch);
  return [
    ...directories.shares.flatMap(({tag, guest, access}) => ['--share', `${tag}=${guest},${access}`]),
    ...root.links.flatMap(([name, target]) => ['--link', `${name}=${target}`]),
    ...['--user', userOption(launch)],
    ...['--cwd', directories.cwd ?? user.home],
    ...['--hostname', hostName(directories.project)],
  ];
};

/** What `bootcut-vm` is told of this one launch. */
const launchOptions = (launch: Launch): readonly string[] => {
  const logs = join(stateDirectory(launch.env), 'log');
  mkdirSync(logs, {recursive: true, mode: 0o700});
  return [
    ...['--log', join(logs, `${launch.id}.log`)],
    // Whoever sends late values gives up at the budget by itself; this is for one that is gone.
    ...['--late-limit', String(Math.round(launch.options.budget) + 1000)],
  ];
};

interface StandbyParts {
  readonly parts: Parts;
  readonly guest: readonly string[];
  readonly hot: readonly HotFile[];
  readonly qemu: readonly string[];
  readonly place: string;
  readonly env: Launch['env'];
}

/** Resident memory of a VM that waits paused, MiB: 54 to 68 in the measurements, and some for what it has run. */
const standbyMemory = 96;

/** The same VM, booted and paused, for the next launch with the same machine, directories and user. */
const standbyEdit = ({parts, guest, hot, qemu, place, env}: StandbyParts): PlanEdit => ({
  kind: 'standby',
  key: [parts.program, ...guest, ...qemu],
  place,
  command: [
    ...[parts.program, 'keep', '--socket', '{socket}', '--form', '{form}', '--ready-fd', '1'],
    ...guest,
    // Of the template that it makes, where there is none.
    ...['--copied', 'etc', ...hot.flatMap(({tag, path}) => ['--hot', `${tag}=${path}`])],
    ...qemu,
  ],
  env: {PATH: env['PATH'] ?? '/usr/bin:/bin'},
  memory: standbyMemory,
});

/**
 * Where launches of a project find the VM of another one: a directory of ours alone. `bootcut-vm` joins the one that is
 * there, or boots one that others can join; only it can tell without a race.
 */
const attachableOption = (launch: Launch, project: string | undefined): readonly string[] => {
  if (project === undefined) return [];
  const runtime = launch.env['XDG_RUNTIME_DIR'];
  const base = runtime?.startsWith('/') === true ? join(runtime, 'bootcut') : stateDirectory(launch.env);
  const directory = join(base, 'vm', createHash('sha256').update(project).digest('hex').slice(0, 16));
  mkdirSync(directory, {recursive: true, mode: 0o700});
  return ['--attachable', directory];
};

/** Letters, digits and dashes, 63 at most: a prompt then tells which VM it is in. */
const hostName = (project: string | undefined): string => {
  const name = basename(project ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 55);
  return name === '' ? 'bootcut' : `bootcut-${name}`.slice(0, 63).replace(/-+$/, '');
};
