import {createReadStream, existsSync, readFileSync} from 'node:fs';
import {chmod, mkdir, rm, symlink, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {Launch, LaunchId, ReadTools} from 'bootcut/plugin';
import {ms, NoAnswer} from 'bootcut/plugin';
import {requireProgram, run} from '../../../rig/program.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

/** A home, a directory for stubs and the real git alone on PATH: nothing of the developer's own, and no gh. */
export type Workplace = AsyncDisposable & {
  readonly root: string;
  readonly home: string;
  /** First in PATH. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file below the root and returns its path. */
  readonly write: (path: string, text: string | Uint8Array) => Promise<string>;
  readonly directory: (path: string) => Promise<string>;
  /** Puts an `sh` script first in PATH; only builtins and absolute paths work in it. */
  readonly stub: (name: string, body: string) => Promise<string>;
  /** Runs the real git and returns what it printed; throws when it fails. */
  readonly git: (cwd: string, ...args: string[]) => Promise<string>;
  /** A pipe that a stub and its children hold open for as long as they live. */
  readonly lifeline: () => Promise<Lifeline>;
  /** A repository with a first commit on `main`. */
  readonly repository: (path: string) => Promise<string>;
};

export type Lifeline = {
  /** Line of a stub that takes hold of it. */
  readonly hold: string;
  readonly held: Promise<void>;
  readonly released: Promise<void>;
};

export async function makeWorkplace(): Promise<Workplace> {
  const root = await temporaryDirectory('workplace');
  const [home, bin, system] = [join(root, 'home'), join(root, 'bin'), join(root, 'system')];
  for (const path of [home, bin, system]) await mkdir(path);
  const realGit = requireProgram('git', 'git');
  await symlink(realGit, join(system, 'git'));
  const env = {PATH: `${bin}:${system}`, HOME: home, GIT_CONFIG_NOSYSTEM: '1'};
  const git = async (cwd: string, ...args: string[]): Promise<string> => {
    const result = await run([realGit, ...args], {cwd, env});
    if (result.status !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const write = async (path: string, text: string | Uint8Array): Promise<string> => {
    const file = join(root, path);
    await mkdir(dirname(file), {recursive: true});
    await writeFile(file, text);
    return file;
  };
  const directory = async (path: string): Promise<string> => {
    await mkdir(join(root, path), {recursive: true});
    return join(root, path);
  };
  return {
    root,
    home,
    bin,
    env,
    git,
    write,
    directory,
    stub: async (name, body) => {
      const file = await write(join('bin', name), `#!/bin/sh\n${body}\n`);
      await chmod(file, 0o755);
      return file;
    },
    lifeline: async () => {
      const pipe = join(root, 'lifeline');
      await run(['mkfifo', pipe]);
      const stream = createReadStream(pipe);
      const seen = (event: string) => new Promise<void>((resolve) => void stream.once(event, () => resolve()));
      return {hold: `exec 3> ${pipe}; echo held >&3`, held: seen('data'), released: seen('end')};
    },
    repository: async (path) => {
      const top = await directory(path);
      await git(top, 'init', '-q', '-b', 'main');
      const author = ['-c', 'user.name=x', '-c', 'user.email=x'];
      await git(top, ...author, 'commit', '-q', '--allow-empty', '-m', 'first');
      return top;
    },
    [Symbol.asyncDispose]: () => rm(root, {recursive: true, force: true}),
  };
}

/** A launch as a plugin sees it. */
export const makeLaunch = (env: Readonly<Record<string, string>>, cwd: string, rest: Partial<Launch> = {}): Launch => ({
  id: 'launch' as LaunchId,
  verb: 'shell',
  runtime: 'agent-vm',
  argv: ['shell'],
  env,
  cwd,
  stdio: ['device', 'pipe', 'pipe'],
  options: {
    budget: ms(4000),
    noCache: false,
    noDaemon: false,
    with: [],
    without: [],
    verbose: false,
  },
  settings: {},
  updatables: [],
  ...rest,
});

/** Tools that keep what a read reported. */
export type RecordingTools = ReadTools & {readonly dependencies: string[]; readonly spans: string[]};

export const makeTools = (rest: Partial<ReadTools> = {}): RecordingTools => {
  const dependencies: string[] = [];
  const spans: string[] = [];
  return {
    signal: new AbortController().signal,
    span: (name, work) => {
      spans.push(name);
      return work();
    },
    dependsOn: (path) => void dependencies.push(path),
    etag: undefined,
    previous: undefined,
    dependencies,
    spans,
    ...rest,
  };
};

/** The lines of a file that a stub wrote; none without the file. */
export const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

/** The reason of the {@link NoAnswer} with which work ends. Any other end fails the test. */
export const reasonOf = async (work: Promise<unknown>): Promise<string> => (await noAnswerOf(work)).reason;

export const noAnswerOf = async (work: Promise<unknown>): Promise<NoAnswer> => {
  const outcome = await work.then(
    (value) => new Error(`there was an answer: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof NoAnswer) return outcome;
  throw outcome;
};
