import {spawn} from 'node:child_process';
import type {Launch} from '../model/launch.js';
import type {Milliseconds} from '../model/units.js';
import {findExecutable} from '../system/find-executable.js';
import {NoAnswer} from './no-answer.js';

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Longest time; then the whole process group is killed. Default: only the signal ends it. */
  readonly limit?: Milliseconds;
  /** Directory to run in. Default: the launch's. */
  readonly cwd?: string;
  /** Changes to the launch's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Bytes of output kept; more ends the process. Default 1 MiB. */
  readonly outputLimit?: number;
  /** Lower the scheduling priority by this much (nice value). Default 0. */
  readonly nice?: number;
}

export interface RunResult {
  /** Exit code, or null after death by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const outputLimit = 1_048_576;

/** Told of each process that starts and ends, so that the host can end them with their plugin. */
export const childWatch: {started: (pid: number) => void; ended: (pid: number) => void} = {
  started: () => undefined,
  ended: () => undefined,
};

const environment = (launch: Launch, changes: RunOptions['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries({...launch.env, ...changes}).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/**
 * Runs a program with the launch's environment and directory, stdin from null, no shell, in a process group of its
 * own that is killed whole at the limit. Throws {@link NoAnswer} when it is not installed or took too long; any exit
 * code is a result.
 */
export const run = async (launch: Launch, argv: readonly string[], options: RunOptions): Promise<RunResult> => {
  const [name = '', ...args] = argv;
  const file = findExecutable(launch, name);
  if (file === undefined) throw new NoAnswer('not-installed', `${name} is not on the PATH of this launch`);
  const limits = [options.signal, ...(options.limit === undefined ? [] : [AbortSignal.timeout(options.limit)])];
  const signal = AbortSignal.any(limits);
  if (signal.aborted) throw timedOut(argv);
  const command = options.nice === undefined ? [file, ...args] : ['nice', '-n', String(options.nice), file, ...args];
  return await collect(command, {
    cwd: options.cwd ?? launch.cwd,
    env: environment(launch, options.env),
    signal,
    limit: options.outputLimit ?? outputLimit,
  });
};

const timedOut = (argv: readonly string[]): NoAnswer =>
  new NoAnswer('timed-out', `${argv.slice(0, 3).join(' ')} took too long and was ended`);

interface Collecting {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly signal: AbortSignal;
  readonly limit: number;
}

const collect = (argv: readonly string[], options: Collecting): Promise<RunResult> =>
  new Promise((resolve, reject) => {
    const [file = '', ...args] = argv;
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const pid = child.pid;
    if (pid !== undefined) childWatch.started(pid);
    const output = {stdout: [] as Buffer[], stderr: [] as Buffer[], size: 0};
    const kill = (): void => {
      if (pid !== undefined) killGroup(pid);
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const keep = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
      output.size += chunk.length;
      if (output.size > options.limit) return kill();
      output[stream].push(chunk);
    };
    child.stdout.on('data', keep('stdout'));
    child.stderr.on('data', keep('stderr'));
    options.signal.addEventListener('abort', kill, {once: true});
    const finish = (): void => {
      options.signal.removeEventListener('abort', kill);
      if (pid !== undefined) childWatch.ended(pid);
    };
    child.once('error', (error) => {
      finish();
      reject(new NoAnswer('not-installed', `${file} could not be started: ${error.message}`, {cause: error}));
    });
    child.once('close', (code) => {
      finish();
      if (options.signal.aborted) return reject(timedOut(argv));
      if (output.size > options.limit) return reject(new NoAnswer('malformed', `${file} wrote more than expected`));
      const text = (stream: 'stdout' | 'stderr'): string => Buffer.concat(output[stream]).toString('utf8');
      resolve({code, stdout: text('stdout'), stderr: text('stderr')});
    });
  });

/** Kills a process group; one that is gone already is fine. */
const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group ended between our look and the signal.
  }
};
