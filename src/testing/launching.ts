import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {constants} from 'node:os';
import {buffer} from 'node:stream/consumers';

/** How a launch ended, as a shell would see it. */
export interface Launched {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Exit status, or 128 + n after death by signal n. */
  readonly status: number;
}

export interface LaunchWith {
  /** What the command finds at its stdin; default: the end of it. */
  readonly input?: Buffer;
  /** stdin is closed, not empty. */
  readonly closedInput?: boolean;
  /** Called once the command has written `ready` to stdout, with the number of the launching process. */
  readonly onReady?: (pid: number) => void;
}

/** A runtime as its contract sees it. */
export interface RuntimeUnderTest {
  /** Command line of a launch up to the target's own command: `['bootcut', 'run', '--']`. */
  readonly prefix: readonly string[];
  /** Directory of launches: the target must see it under the same path, and may write there. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Lines of the runtime's own on stderr, which are not the command's. Default: there are none. */
  readonly ownLines?: RegExp;
  /** Each launch takes long (an emulated VM): rules look at fewer examples. Default false. */
  readonly slow?: boolean;
  /** What this runtime cannot do by its nature; its checks are left out. */
  readonly cannot?: readonly Ability[];
}

/** Something a runtime may lack by its nature, such as agent-vm, whose guest has no stdin unless that is a terminal. */
export type Ability =
  | 'stdin'
  | 'own-directory'
  | 'binary-arguments'
  | 'death-by-signal'
  | 'not-executable'
  | 'broken-pipe'
  | 'signals';

/** Runs a command through the runtime. */
export const launch = async (
  runtime: RuntimeUnderTest,
  command: readonly string[],
  options: LaunchWith = {},
): Promise<Launched> => {
  const line = [...runtime.prefix, ...command];
  const [file = '', ...args] = options.closedInput === true ? ['/bin/sh', '-c', 'exec "$@" <&-', 'sh', ...line] : line;
  const child = spawn(file, args, {cwd: runtime.cwd, env: runtime.env, stdio: ['pipe', 'pipe', 'pipe']});
  child.stdin.on('error', () => undefined); // a command that does not read it
  child.stdin.end(options.input ?? '');
  if (options.onReady !== undefined) tellWhenReady(child, options.onReady);
  const [stdout, stderr, [code, signal]] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return {
    stdout,
    stderr: withoutLines(stderr, runtime.ownLines),
    status: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
  };
};

const tellWhenReady = (child: ReturnType<typeof spawn>, onReady: (pid: number) => void): void => {
  let seen = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const before = seen.includes('ready');
    seen += chunk.toString('latin1');
    if (!before && seen.includes('ready')) onReady(child.pid ?? 0);
  });
};

/** Byte for byte but for whole lines of the runtime's own. */
const withoutLines = (bytes: Buffer, own: RegExp | undefined): Buffer => {
  if (own === undefined) return bytes;
  const lines = bytes.toString('latin1').split(/(?<=\n)/);
  return Buffer.from(lines.filter((line) => !own.test(line.replace(/\r?\n$/, ''))).join(''), 'latin1');
};
