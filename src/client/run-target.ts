import {type ChildProcess, type StdioOptions, spawn} from 'node:child_process';
import {constants} from 'node:os';
import type {Moment} from '../model/units.js';
import type {EndingKind} from '../protocol/messages.js';
import type {Progress} from '../protocol/progress-codec.js';
import {systemClock} from '../system/clock.js';
import {openPipes, type RealPipe} from '../system/real-pipe.js';
import type {EntryState} from './entry-state.js';
import {passOn} from './pass-on.js';
import {pickLines} from './pick-lines.js';
import {type GroupWitness, SignalRelay} from './signals.js';
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
    /** The target's output as it passes by; absent: it goes where ours goes without passing us. */
    readonly onStdout?: ((chunk: Buffer) => void) | undefined;
    readonly onStderr?: ((chunk: Buffer) => void) | undefined;
  },
): Promise<TargetEnd> => {
  const relay = SignalRelay.hold(options.witness);
  const {onStdout, onStderr} = options;
  const piped = [
    ...(onStdout === undefined ? [] : [1]),
    ...(options.observe.length === 0 && onStderr === undefined ? [] : [2]),
  ];
  // A launch that asked to be read along pays for real pipes; the lines of a runtime's own program come through sockets.
  const pipes = onStdout === undefined && onStderr === undefined ? undefined : openPipes(piped.length);
  const child = start(command, stdio(entry, piped, pipes), options.directory);
  for (const {handedOn} of pipes ?? []) handedOn();
  if ('error' in child || child.pid === undefined) {
    const error = 'error' in child ? child.error : await spawnError(child);
    relay.stop();
    for (const {reader} of pipes ?? []) reader.destroy();
    return notStarted(command, error);
  }
  options.onStarted(child.pid);
  options.report({kind: 'started', at: systemClock.now(), pid: child.pid});
  const ended = endOf(child);
  relay.serve(child);
  const picker = pickLines(options.observe, (line) => options.report({kind: 'line', ...line}));
  const passed = piped.map((descriptor, index) => {
    const isOut = descriptor === 1;
    const from = pipes?.[index]?.reader ?? (isOut ? child.stdout : child.stderr);
    if (from === null) throw new Error('Internal error: a stream that was asked for is not there');
    return isOut
      ? passOn(from, process.stdout, (chunk) => onStdout?.(chunk))
      : passOn(from, process.stderr, (chunk) => {
          onStderr?.(chunk);
          picker.see(chunk);
        });
  });
  const end = await ended;
  relay.stop();
  await Promise.all(passed.map(({drained}) => drained()));
  picker.flush();
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

/** `piped`: descriptors that go through us, through these pipes or Node's own. */
const stdio = (entry: EntryState, piped: readonly number[], pipes: readonly RealPipe[] | undefined): StdioOptions => {
  const highest = Math.max(2, ...entry.descriptors);
  return Array.from({length: highest + 1}, (_, descriptor) => {
    if (piped.includes(descriptor)) return pipes?.[piped.indexOf(descriptor)]?.writer ?? 'pipe';
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
  // No program has an empty name; Node takes that for a slip of the programmer's.
  const absent = error.code === 'ENOENT' || command.file === '';
  const texts: Readonly<Record<string, string>> = {
    ENOENT: 'command not found',
    EACCES: 'permission denied',
    E2BIG: 'argument list too long',
  };
  const why = texts[absent ? 'ENOENT' : (error.code ?? '')] ?? error.message;
  return {
    ending: 'not-started',
    code: absent ? 127 : 126,
    at: systemClock.now(),
    text: `bootcut: ${command.name}: ${why}`,
  };
};
