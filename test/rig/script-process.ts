import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {compiledSources} from './compiled.js';

/** A Node process that runs a small script of a test and speaks in lines. */
export type ScriptProcess = AsyncDisposable & {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The next line of stdout; rejects when the process ends without one. */
  readonly line: () => Promise<string>;
  readonly tell: (line: string) => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Exit code, or the signal, with all of stderr. */
  readonly ended: Promise<{readonly code: number | string; readonly stderr: string}>;
};

/**
 * Runs `script` as a module with `ours(name)` (imports one of our modules by its path below `src`), `say(line)` and
 * `heard()` (the next line of stdin). `args` are in `args`.
 */
export function runScript(
  script: string,
  args: readonly string[] = [],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly cwd?: string;
    /** Another user, with a /tmp of their own in which nobody else is seen. Needs root. */
    readonly user?: number;
  } = {},
): ScriptProcess {
  const prelude = `
    import {createInterface} from 'node:readline';
    const ours = (name) => import(${JSON.stringify(pathToFileURL(compiledSources()).href)} + '/' + name + '.js');
    const args = process.argv.slice(1);
    const say = (line) => process.stdout.write(line + '\\n');
    let reader;
    const heard = async () => (await (reader ??= createInterface({input: process.stdin})[Symbol.asyncIterator]()).next()).value;
  `;
  const node = [process.execPath, '--input-type=module', '-e', prelude + script, '--', ...args];
  const [file = '', ...rest] = options.user === undefined ? node : [...asUser(options.user), ...node];
  const child = spawn(file, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: options.env ?? process.env,
    ...(options.cwd === undefined ? {} : {cwd: options.cwd}),
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code, signal]) => ({code: (code ?? signal) as number | string, stderr}));
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    child,
    line: async () => {
      const next = await lines.next();
      if (next.done !== true) return next.value;
      throw new Error(`the script ended without a line: ${(await ended).stderr}`);
    },
    tell: (line) => void child.stdin.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The repository may itself lie in /tmp: then it is carried over into the new one. */
const ownTemporary = `
  root=$1; shift
  case $root in /tmp/*) mount --bind "$root" /mnt ;; esac
  mount -t tmpfs -o mode=1777 tmpfs /tmp || exit
  case $root in /tmp/*) mkdir -p "$root" && mount --bind /mnt "$root" ;; esac
  exec "$@"`;

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const asUser = (user: number): readonly string[] => [
  ...['unshare', '--mount', 'sh', '-c', ownTemporary, 'sh', root],
  ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
];
