import {type Directories, findDirectories} from '../config/directories.js';
import type {LaunchRequest} from '../model/launch.js';
import type {Plan} from '../model/plan.js';
import type {Moment} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import {type EntryState, isMergedOutput, readEntryState, stdioKind} from './entry-state.js';
import {execMoment} from './exec-moment.js';
import {leaveAs} from './leave.js';
import {type PlanSource, planFromDaemon} from './plan-source.js';
import type {ReadableStreams, ReadinessWatch} from './readiness-watch.js';
import {runTarget, type TargetEnd} from './run-target.js';
import {GroupWitness} from './signals.js';
import {startDaemonBehind} from './start-daemon.js';
import {targetCommand} from './target-command.js';
import {noteTerminalModes, restoreTerminalModes} from './terminal-modes.js';
import {workingDirectory} from './working-directory.js';

/** Exit status where bootcut itself cannot launch. */
const ownFailure = 125;

/** What the front did with a command line: it either ends the process, or leaves `--help` to the commands. */
export type FrontResult = 'help';

let hasStarted = false;

/** Has this process started its target? Until then a fault of ours may still be made good by starting it without us. */
export const isTargetStarted = (): boolean => hasStarted;

/**
 * The Node front of a launch: asks the daemon for a plan, or makes one here; starts the target as a child; reports; ends
 * as the target ended. `args` is the command line after `bootcut`, its first item a launch verb.
 */
export const runFront = async (args: readonly string[]): Promise<FrontResult> => {
  const frontAt = systemClock.now();
  const entry = readEntryState(args);
  const directories = findDirectories(process.env);
  const directory = workingDirectory();
  const request = launchRequest(entry, frontAt, directory.path);
  const finding = findPlan(directories, request, entry.without);
  const witness = new GroupWitness(); // while the daemon is at work
  const noting = noteTerminalModes();
  const found = await finding;
  if (found === 'help') {
    witness.dismiss();
    return 'help';
  }
  const {source, startDaemon} = found;
  if (source.plan.refusal !== undefined) {
    process.stderr.write(source.plan.refusal.text);
    return leaveAs({ending: 'exited', code: source.plan.refusal.status, at: systemClock.now()});
  }
  if (source.plan.notice !== undefined) process.stderr.write(source.plan.notice);
  let behind: Promise<void> | undefined;
  const readable = readableStreams(request);
  const readiness =
    source.until === undefined ? undefined : await watchReadiness(source.until, process.cwd(), readable);
  const end = await runTarget(targetCommand(source.plan, entry), entry, {
    directory: directory.spawnIn,
    witness,
    observe: readable.stderr ? source.plan.observe : [],
    report: source.report,
    onStdout: readiness?.onStdout,
    onStderr: readiness?.onStderr,
    onStarted: (pid) => {
      hasStarted = true;
      readiness?.begin(pid);
      if (startDaemon !== undefined) behind = startDaemonBehind(directories, startDaemon.replace);
    },
  });
  if (readiness !== undefined) source.reportReadiness?.(readiness.finish(end));
  await report(source, end);
  await behind;
  const modes = end.ending === 'killed' ? await noting : undefined;
  if (modes !== undefined) restoreTerminalModes(modes);
  if (end.text !== undefined) process.stderr.write(`${end.text}\n`);
  return leaveAs(end);
};

/** Loaded only for launches that ask for it. */
const watchReadiness = async (
  until: NonNullable<PlanSource['until']>,
  cwd: string,
  readable: ReadableStreams,
): Promise<ReadinessWatch> => {
  const {ReadinessWatch: Watch} = await import('./readiness-watch.js');
  return new Watch(until, cwd, readable);
};

interface FoundPlan {
  readonly source: PlanSource;
  /** A daemon should be there for the next launch. */
  readonly startDaemon: {readonly replace: boolean} | undefined;
}

const findPlan = async (
  directories: Directories,
  request: LaunchRequest,
  without: string | undefined,
): Promise<FoundPlan | 'help'> => {
  const reason = without === undefined ? await fromDaemon(directories, request) : {reason: without};
  if (reason === 'help' || 'source' in reason) return reason;
  const {planInProcess} = await import('./in-process.js');
  try {
    const planned = await planInProcess(directories, request, reason.reason);
    if (planned.kind === 'help') return 'help';
    return {source: planned.source, startDaemon: planned.source.noDaemon ? undefined : daemonFor(reason.reason)};
  } catch (error) {
    // A bug of ours must not cost the launch: no help for it, but the target runs.
    const detail =
      error instanceof Error
        ? process.env['BOOTCUT_DEBUG'] === undefined
          ? error.message
          : (error.stack ?? '')
        : String(error);
    const {wantsRuntime} = await import('./wants-runtime.js');
    if (wantsRuntime(request, directories.config)) {
      const text = `bootcut: ${detail}; a runtime was asked for, so nothing is launched without it\n`;
      return {source: bareSource(request, {text, status: ownFailure}), startDaemon: undefined};
    }
    process.stderr.write(`bootcut: ${detail}; the launch goes on without bootcut's help\n`);
    return {source: bareSource(request), startDaemon: undefined};
  }
};

const fromDaemon = async (
  directories: Directories,
  request: LaunchRequest,
): Promise<FoundPlan | 'help' | {readonly reason: string}> => {
  if (directories.socket === undefined) return {reason: 'no-state-directory'};
  const answer = await planFromDaemon(directories.socket, request);
  if (answer.kind === 'help') return 'help';
  return answer.kind === 'planned' ? {source: answer.source, startDaemon: undefined} : {reason: answer.reason};
};

/** What to start so that the next launch finds a daemon. */
const daemonFor = (reason: string): {readonly replace: boolean} | undefined => {
  if (reason === 'daemon-absent') return {replace: false};
  return reason === 'older-daemon' ? {replace: true} : undefined;
};

const launchRequest = (entry: EntryState, frontAt: Moment, directory: string): LaunchRequest => ({
  argv: entry.argv,
  env: entry.env,
  cwd: Buffer.from(directory),
  stdio: [stdioKind(0, entry.closed), stdioKind(1, entry.closed), stdioKind(2, entry.closed)],
  execAt: entry.execAt ?? execMoment(),
  frontAt,
  sentAt: systemClock.now(),
  pid: process.pid,
  front: 'node',
  mergedOutput: isMergedOutput(),
});

/**
 * A terminal must stay a terminal to the target, and two streams that lead to one place must keep their order, unless that
 * place is the null device.
 */
const readableStreams = ({stdio, mergedOutput}: LaunchRequest): ReadableStreams => {
  const isHarmless = (descriptor: 1 | 2): boolean =>
    stdio[descriptor] !== 'tty' && stdio[descriptor] !== 'closed' && !(mergedOutput && stdio[descriptor] !== 'device');
  return {stdout: isHarmless(1), stderr: isHarmless(2)};
};

const report = async (source: PlanSource, end: TargetEnd): Promise<void> => {
  source.report({kind: 'ended', at: end.at, ending: end.ending, code: end.code, doneAt: systemClock.now()});
  await source.finish().catch(() => undefined);
};

/** The command as it was given, for the case that nothing of ours works. Our flags are not understood here. */
const bareSource = (request: LaunchRequest, refusal?: Plan['refusal']): PlanSource => {
  const tokens = request.argv.map((arg) => Buffer.from(arg).toString('utf8'));
  const dashes = tokens.indexOf('--');
  const from = tokens[0] === 'run' ? (dashes < 0 ? 1 : dashes + 1) : 0;
  return {
    plan: {
      launchId: '' as never,
      argv: [
        ...(tokens[0] === 'run' || tokens[0] === 'agent-vm' ? [] : [{kind: 'literal' as const, text: 'agent-vm'}]),
        {kind: 'keep', from, to: tokens.length},
      ],
      env: [],
      observe: [],
      ...(refusal === undefined ? {} : {refusal}),
    },
    noDaemon: true,
    report: () => undefined,
    finish: async () => undefined,
  };
};
