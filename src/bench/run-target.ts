import {type ChildProcess, type StdioOptions, spawn} from 'node:child_process';
import {statSync} from 'node:fs';
import type {Readable} from 'node:stream';
import type {Moment} from '../model/units.js';
import {LineFeed} from '../readiness/line-feed.js';
import {systemClock} from '../system/clock.js';
import {openPipes} from '../system/real-pipe.js';
import type {Variant} from './bench-plan.js';
import {bootcutCommand, runtimeFlags} from './bootcut-command.js';

/** How a target ended by itself. */
export interface TargetEnd {
  readonly at: Moment;
  /** Exit status, or the name of a signal. */
  readonly exit: number | string;
}

/** A target that was started in a session of its own, with its output read along. */
export interface StartedTarget {
  readonly child: ChildProcess;
  /** Just before it was asked for: a clock that starts after the spawn leaves out the exec. */
  readonly startedAt: Moment;
  readonly stdout: LineFeed;
  readonly stderr: LineFeed;
  readonly ended: Promise<TargetEnd>;
  /** Resolves when both streams are at their end; something that outlives the target may hold them open. */
  readonly drained: Promise<void>;
}

/** The argument list that is executed for a variant: its own, or `bootcut VERB` with it. */
export const argumentsOf = ({command, through}: Variant): readonly string[] => {
  if (through === undefined) return command;
  const flags = [...runtimeFlags(through), ...(through.memory === undefined ? [] : ['--memory', through.memory])];
  return [bootcutCommand, through.verb, ...flags, ...(through.verb === 'run' ? ['--'] : []), ...command];
};

/** Starts a variant. The value is the reason when it cannot be started. */
export const startTarget = async (variant: Variant, env: NodeJS.ProcessEnv): Promise<StartedTarget | string> => {
  const [file = '', ...args] = argumentsOf(variant);
  const pipes = openPipes(2);
  const [out, err] = pipes ?? [];
  const stdio: StdioOptions = ['ignore', out?.writer ?? 'pipe', err?.writer ?? 'pipe'];
  const startedAt = systemClock.now();
  let child: ChildProcess;
  try {
    child = spawn(file, args, {cwd: variant.cwd, env, stdio, detached: true});
  } catch (error) {
    for (const {reader} of pipes ?? []) reader.destroy();
    return whyNotStarted(file, variant.cwd, error as Error);
  } finally {
    for (const {handedOn} of pipes ?? []) handedOn();
  }
  if (child.pid === undefined) {
    for (const {reader} of pipes ?? []) reader.destroy();
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve));
    return whyNotStarted(file, variant.cwd, error);
  }
  const ended = new Promise<TargetEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({at: systemClock.now(), exit: signal ?? code ?? 0}));
  });
  const [stdout, stderr] = [new LineFeed(), new LineFeed()];
  const drained = Promise.all([
    readAlong(out?.reader ?? child.stdout, stdout),
    readAlong(err?.reader ?? child.stderr, stderr),
  ]).then(() => undefined);
  return {child, startedAt, stdout, stderr, ended, drained};
};

/** In words, and with what the system leaves out: it says of a missing directory what it says of a missing program. */
export const whyNotStarted = (file: string, cwd: string, {code, message}: NodeJS.ErrnoException): string => {
  if (!isDirectory(cwd)) return `${file} cannot be started: ${cwd} is no directory`;
  return `${file} cannot be started: ${code === 'ENOENT' ? 'command not found' : message}`;
};

const isDirectory = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isDirectory() === true;

/** Resolves at the end of the stream. */
const readAlong = (stream: Readable | null, feed: LineFeed): Promise<void> =>
  new Promise((resolve) => {
    if (stream === null) return resolve();
    stream.on('data', (chunk: Buffer) => feed.push(chunk));
    stream.on('error', () => undefined);
    stream.once('close', () => resolve());
  });
