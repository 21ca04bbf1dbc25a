import {spawn} from 'node:child_process';
import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';
import {Trouble} from './trouble.js';

export interface ProgramOptions {
  readonly cwd?: string;
  readonly input?: Uint8Array;
  /** Changes of our environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called for each whole line of stdout, which is then not kept. */
  readonly onLine?: (line: string) => void;
  /** What changes the system is not killed half-way when we are: it goes on to its end by itself. */
  readonly goesOn?: boolean;
  /** Longest time in milliseconds; then it is killed, and its code is null. Default: none. */
  readonly limit?: number;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Is there such a program? Also looks where administrators' programs are, which a user's PATH often leaves out. */
export const hasProgram = (name: string): boolean =>
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'].some((directory) => {
    try {
      accessSync(join(directory || '.', name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Process groups that run at the moment. */
const running = new Set<number>();

/** Ends everything that `runProgram` has started and that still runs. */
export const endPrograms = (): void => {
  for (const pid of running) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended between our look and the signal.
    }
  }
};

/** Has the kernel end a program when we are killed ourselves and can do nothing about it any more. */
const endsWithUs = (): readonly string[] => (hasProgram('setpriv') ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []);

/** Enough for an unpacked kernel. */
const keptStderr = 65_536;

/** Runs a program to its end, in a process group of its own; rejects only when it cannot be started. */
export const runProgram = (argv: readonly string[], options: ProgramOptions = {}): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    const [file = '', ...args] = options.goesOn === true ? argv : [...endsWithUs(), ...argv];
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: {...process.env, ...options.env},
      detached: true,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const {pid} = child;
    if (pid !== undefined && options.goesOn !== true) running.add(pid);
    const stdout: Buffer[] = [];
    let stderr = '';
    let rest = '';
    const timer =
      options.limit === undefined || pid === undefined
        ? undefined
        : setTimeout(() => process.kill(-pid, 'SIGKILL'), options.limit);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (options.onLine === undefined) return void stdout.push(chunk);
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) options.onLine(line);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr = (stderr + chunk).slice(-keptStderr)));
    child.stdin?.on('error', () => undefined); // it ended without reading on; its status tells
    child.stdin?.end(options.input);
    const finish = (): void => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
    };
    child.once('error', (error) => {
      finish();
      reject(new Trouble(`${file} could not be started: ${error.message}`));
    });
    child.once('close', (code) => {
      finish();
      resolve({code, stdout: Buffer.concat(stdout), stderr});
    });
  });

/** Runs a program that must succeed; returns its stdout. */
export const runChecked = async (argv: readonly string[], options: ProgramOptions = {}): Promise<Buffer> => {
  const {code, stdout, stderr} = await runProgram(argv, options);
  if (code === 0) return stdout;
  const words = stderr.trim().split('\n').slice(-8).join('\n');
  throw new Trouble(`${argv.slice(0, 2).join(' ')} failed (${code ?? 'killed'})${words === '' ? '' : `:\n${words}`}`);
};
