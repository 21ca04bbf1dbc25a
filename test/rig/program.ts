import {spawn} from 'node:child_process';
import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';

/** Path of an external program the tests need; without it, an error that names the Debian package to install. */
export function requireProgram(name: string, aptPackage: string): string {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
  const found = directories.map((directory) => join(directory, name)).find(isExecutable);
  if (found === undefined) {
    throw new Error(`${name} is not installed: this test needs it (apt-get install -y ${aptPackage})`);
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type Finished = {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs a program to its end, stdin null unless `input` is given. */
export function run(
  argv: readonly string[],
  {env = process.env, cwd, input}: {env?: NodeJS.ProcessEnv; cwd?: string; input?: string} = {},
): Promise<Finished> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {env, cwd, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']});
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({status, signal, stdout, stderr}));
    child.stdin?.end(input);
  });
}

export type Service = AsyncDisposable & {
  readonly pid: number;
  /** The line that announced it, as matched by `ready`. */
  readonly announced: RegExpExecArray;
};

/**
 * Starts a server in the foreground and resolves at the output line that matches `ready`; fails with its whole output if
 * it ends before. Dispose ends it by its pid and waits for its end.
 */
export function startService(argv: readonly string[], {ready, cwd}: {ready: RegExp; cwd: string}): Promise<Service> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {cwd, stdio: ['ignore', 'pipe', 'pipe']});
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: string) => {
      output += chunk;
      const announced = ready.exec(output);
      if (announced === null || child.pid === undefined) return;
      child.stdout.off('data', read).resume();
      child.stderr.off('data', read).resume();
      resolve({
        pid: child.pid,
        announced,
        [Symbol.asyncDispose]: () => {
          child.kill('SIGTERM');
          return ended;
        },
      });
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`${argv.join(' ')} ended before it was ready:\n${output}`)));
  });
}
