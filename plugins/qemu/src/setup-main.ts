/** The program behind `bootcut setup --runtime qemu`: prepares the guest of this user. */
import {mkdirSync, readFileSync} from 'node:fs';
import {constants} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {dataDirectory} from './directories.js';
import {findGuestFiles, type GuestFiles} from './guest-files.js';
import {kvmDevice} from './kvm-device.js';
import {findNative, findQemu, qemuPackage} from './programs.js';
import {agrees} from './setup/agrees.js';
import {hasApt, installCommand, installPackages, isRoot} from './setup/apt.js';
import {helpText, parseArguments, type SetupArguments} from './setup/arguments.js';
import {debianKernel} from './setup/debian-kernel.js';
import {makeGuest, useGuest} from './setup/guest.js';
import {type KernelSource, kernelName, writeKernel} from './setup/kernels.js';
import {packedKernel} from './setup/packed-kernel.js';
import {pathKernel} from './setup/path-kernel.js';
import {clearWorkshops, lockSetup, makeWhole, removeUnfinished} from './setup/places.js';
import {endPrograms, runProgram} from './setup/programs.js';
import {makeSay, type Say} from './setup/say.js';
import {smallKernel} from './setup/small-kernel.js';
import {Trouble} from './setup/trouble.js';
import {tryBoot} from './setup/try-boot.js';

/** Exit statuses: something is left to do; a wrong command line. */
const unfinishedStatus = 1;
const usageStatus = 2;

const main = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseArguments(argv, process.cwd());
  if (parsed.kind === 'help') {
    process.stdout.write(helpText);
    return 0;
  }
  const say = makeSay((text) => process.stderr.write(text), process.stderr.isTTY);
  if (parsed.kind === 'usage') {
    say.line(`bootcut setup: ${parsed.text}`);
    return usageStatus;
  }
  try {
    return await setUp(parsed.wanted, say);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    say.line(`bootcut setup: ${error.message}${error.advice === undefined ? '' : `\n${error.advice}`}`);
    return unfinishedStatus;
  }
};

const setUp = async (wanted: SetupArguments, say: Say): Promise<number> => {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Trouble(`the runtime qemu is for Linux on x86-64, and this is ${process.platform} on ${process.arch}`);
  const agent = findNative('bootcut-agent');
  if (agent === undefined)
    throw new Trouble(
      'the guest agent has not been built',
      'Install a C compiler (on Debian: gcc and libc6-dev), then: npm run build',
    );
  const data = dataDirectory(process.env);
  mkdirSync(data, {recursive: true, mode: 0o700});
  const lock = await lockSetup(data);
  try {
    clearWorkshops([data, join(data, 'kernels'), join(data, 'guests')]);
    const missing = await requireQemu(wanted, say);
    const kernel = await prepareKernel(data, wanted, say);
    const use = async (name: string): Promise<GuestFiles> =>
      useGuest(data, await makeGuest(data, name, readFileSync(agent)));
    const guest = await use(kernel);
    report(wanted, guest, missing, say);
    if (missing.length > 0) return unfinishedStatus;
    if (await wantsSmall(wanted, guest)) {
      const small = await use(await prepareKernel(data, {...wanted, kernel: {kind: 'small'}}, say));
      say.line(`The guest is now: Linux ${small.release} (${small.kind}).`);
    }
    return 0;
  } finally {
    lock.close();
  }
};

const qemu = (): string | undefined => findQemu({env: definedEnvironment(), cwd: process.cwd(), settings: {}});

const definedEnvironment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Installs QEMU where we may; returns the packages that are left to somebody else. */
const requireQemu = async ({yes}: SetupArguments, say: Say): Promise<readonly string[]> => {
  if (qemu() !== undefined) return [];
  if (!isRoot() || !hasApt()) return [qemuPackage];
  if (!yes && process.stdin.isTTY && !(await agrees(`QEMU is missing. Install ${qemuPackage} with apt-get?`)))
    return [qemuPackage];
  await installPackages([qemuPackage], say);
  return qemu() === undefined ? [qemuPackage] : [];
};

/**
 * The kernel that boots quickest takes minutes to build, and the user may want to go on now: the guest is ready with
 * Debian's kernel first, and an interruption leaves it as it is.
 */
const wantsSmall = async ({kernel, yes, json}: SetupArguments, guest: GuestFiles): Promise<boolean> => {
  if (kernel !== undefined || guest.kind !== 'debian' || yes || json || !process.stdin.isTTY) return false;
  return await agrees(
    'Build a kernel that boots in a third of the time? It takes about five minutes; Ctrl-C keeps the guest as it is.',
  );
};

/** The kernel's name below `kernels`, made when it is not there yet. */
const prepareKernel = async (data: string, {kernel}: SetupArguments, say: Say): Promise<string> => {
  const current = findGuestFiles(data);
  // Without a word about it, the user's own kernel stays.
  if (kernel === undefined && current?.kind === 'path') return basename(dirname(current.kernel));
  const source = await findSource(data, kernel, say);
  const name = kernelName(source);
  const state = await makeWhole(join(data, 'kernels', name), async (directory) => {
    say.line(`Preparing the kernel: ${source.title}.`);
    const made = await source.make();
    writeKernel(directory, source.kind, made);
    await checkBoot(join(directory, 'vmlinux'), say);
    if (made.note !== undefined) say.line(made.note);
  });
  if (state === 'there') say.line(`The kernel is there already: ${source.title}.`);
  return name;
};

const findSource = async (data: string, kernel: SetupArguments['kernel'], say: Say): Promise<KernelSource> => {
  if (kernel?.kind === 'path') return pathKernel(kernel.path);
  // Without a word about it, a kernel that took minutes to build is not put away.
  const kind = kernel?.kind ?? (findGuestFiles(data)?.kind === 'small' ? 'small' : 'packed');
  if (kind === 'small') return await smallKernel(data, say);
  const packed = kind === 'packed' ? packedKernel() : undefined;
  if (packed !== undefined) return packed;
  if (kernel?.kind === 'packed')
    throw new Trouble(
      'the package with a built kernel is not installed beside bootcut’s own',
      'Build that kernel here: bootcut setup --runtime qemu --kernel small',
    );
  return await debianKernel(data, say);
};

/** A kernel that does not come up is not kept. */
const checkBoot = async (kernel: string, say: Say): Promise<void> => {
  const program = qemu();
  if (program === undefined) return;
  const counter = findNative('tsc-khz');
  const khz = counter === undefined ? undefined : Number((await runProgram([counter])).stdout.toString('utf8'));
  const said = await tryBoot(program, kernel, Number.isSafeInteger(khz) ? khz : undefined);
  if (said !== undefined) throw new Trouble(`the kernel does not come up in an emulated machine:\n${said}`);
  say.line('It boots.');
};

const report = (wanted: SetupArguments, guest: GuestFiles, missing: readonly string[], say: Say): void => {
  const kvm = kvmDevice();
  const commands = missing.length === 0 ? [] : [installCommand(missing)];
  say.line(`The guest is ready: Linux ${guest.release} (${guest.kind}), in ${guest.directory}.`);
  if (commands.length > 0) say.line(`One thing is left, which needs root: ${commands.join(' && ')}`);
  if (!kvm.usable) {
    say.line(`KVM: ${kvm.why}.${kvm.advice === undefined ? '' : ` ${kvm.advice}`}`);
    say.line(
      'A VM without KVM is several times slower and starts only where that is allowed: --emulate, or the setting plugins.qemu.emulation.',
    );
  }
  if (!wanted.json) return;
  const {kind, release, kernel, initrd} = guest;
  const shown = {kernel: {kind, release, path: kernel}, initrd, missing, commands, kvm: kvm.usable ? true : kvm.why};
  process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
};

/** Ends what runs, removes what is half-made, and ends as the signal says. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    endPrograms();
    removeUnfinished();
    process.kill(process.pid, signal);
    // A signal that the caller ignores does not end us.
    setImmediate(() => process.exit(128 + constants.signals[signal]));
  });
}

process.exitCode = await main(process.argv.slice(2));
