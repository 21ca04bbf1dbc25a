import {type ChildProcess, type StdioOptions, spawn} from 'node:child_process';
import {constants} from 'node:os';
import type {Moment} from '../model/units.js';
import type {EndingKind} from '../protocol/messages.js';
import type {Progress} from '../protocol/progress-codec.js';
import {systemClock} from '../system/clock.js';
import type {EntryState} from './entry-state.js';
import {type GroupWitness, SignalRelay} from './signals.js';
import {tapStderr} from './stderr-tap.js';
import type {TargetCommand} from './target-command.js';

/** How a target ended. */
export interface TargetEnd {
  readonly ending: EndingKind;
  /** Exit status, signal number, or what a shell says of a command it cannot start (126, 127). */
  readonly code: number;
  readonly at: Moment;
  /** One line for the user when it could not be started. */
  readonly text?: string;
}

/** Runs the target as a child in our own process group and terminal, and reports its course. */
export const runTarget = async (
  command: TargetCommand,
  entry: EntryState,
  options: {
    /** Start the target here instead of where we are. */
    readonly directory: string | undefined;
    readonly witness: GroupWitness;
    readonly observe: readonly string[];
    readonly report: (progress: Progress) => void;
    readonly onStarted: (pid: number) => void;
    /** The target's stderr as it passes by, where it is tapped. */
    readonly onStderr?: ((chunk: Buffer) => void) | undefined;
  },
): Promise<TargetEnd> => {
  const relay = SignalRelay.hold(options.witness);
  const tap = options.observe.length > 0 || options.onStderr !== undefined;
  const child = start(command, stdio(entry, tap), options.directory);
  if ('error' in child || child.pid === undefined) {
    const error = 'error' in child ? child.error : await spawnError(child);
    relay.stop();
    return notStarted(command, error);
  }
  options.report({kind: 'started', at: systemClock.now(), pid: child.pid});
  const ended = endOf(child);
  relay.serve(child);
  if (options.onStderr !== undefined) child.stderr?.on('data', options.onStderr);
  const tapped =
    child.stderr === null
      ? undefined
      : tapStderr(child.stderr, options.observe, (line) => options.report({kind: 'line', ...line}));
  options.onStarted(child.pid);
  const end = await ended;
  relay.stop();
  await tapped?.drained();
  return end;
};

interface NotStarted {
  readonly error: NodeJS.ErrnoException;
}

const start = (
  command: TargetCommand,
  stdioOptions: StdioOptions,
  directory: string | undefined,
): ChildProcess | NotStarted => {
  try {
    return spawn(command.file, command.args, {
      argv0: command.argv0,
      env: command.env,
      stdio: stdioOptions,
      cwd: directory,
    });
  } catch (error) {
    return {error: error as NodeJS.ErrnoException}; // such as E2BIG: spawn throws for what it does not expect
  }
};

const spawnError = (child: ChildProcess): Promise<NodeJS.ErrnoException> =>
  new Promise((resolve) => child.once('error', resolve));

const stdio = (entry: EntryState, tap: boolean): StdioOptions => {
  const highest = Math.max(2, ...entry.descriptors);
  return Array.from({length: highest + 1}, (_, descriptor) => {
    if (descriptor === 2 && tap) return 'pipe';
    if (descriptor < 3) return 'inherit';
    return entry.descriptors.includes(descriptor) ? descriptor : 'ignore';
  });
};

const endOf = (child: ChildProcess): Promise<TargetEnd> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const at = systemClock.now();
      if (signal !== null) resolve({ending: 'killed', code: constants.signals[signal], at});
      else resolve({ending: 'exited', code: code ?? 0, at});
    });
  });

const notStarted = (command: TargetCommand, error: NodeJS.ErrnoException): TargetEnd => {
  const absent = error.code === 'ENOENT';
  const texts: Readonly<Record<string, string>> = {
    ENOENT: 'command not found',
    EACCES: 'permission denied',
    E2BIG: 'argument list too long',
  };
  const why = texts[error.code ?? ''] ?? error.message;
  return {
    ending: 'not-started',
    code: absent ? 127 : 126,
    at: systemClock.now(),
    text: `bootcut: ${command.name}: ${why}`,
  };
};
