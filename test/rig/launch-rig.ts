import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {LaunchRecord} from '../../src/model/record.js';
import {askDaemon} from '../../src/protocol/ask.js';
import type {DaemonStatus} from '../../src/protocol/asks.js';
import {type Finished, run} from './program.js';
import {temporaryDirectory} from './temporary-directory.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The built command; `npm run build` makes it. */
export const bootcut = join(root, 'bin', 'bootcut');

/** The built launcher; absent where there is no C compiler. */
export const launcher = join(root, 'launcher', 'bootcut-launch');

/** A way to come to a target. `BOOTCUT_FRONT` is read by `bin/bootcut` and never reaches the target. */
export interface Front {
  readonly front: string;
  readonly daemon: boolean;
  /** As records name it. */
  readonly name: 'launcher' | 'node';
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Every front, for suites that all of them have to pass. The last one is the launcher giving up its place to Node. On
 * another Node (`BOOTCUT_TEST_NODE`) the launcher is left out: it is the same file, and has been through the suites.
 */
export const fronts: readonly Front[] = [
  ...(existsSync(launcher) && (process.env['BOOTCUT_TEST_NODE'] ?? '') === ''
    ? [{front: 'through the launcher', daemon: true, name: 'launcher', env: {BOOTCUT_FRONT: ''}} as const]
    : []),
  {front: 'through Node, with the daemon', daemon: true, name: 'node', env: {BOOTCUT_FRONT: 'node'}},
  {front: 'without a daemon', daemon: false, name: 'node', env: {BOOTCUT_NO_DAEMON: '1'}},
];

/**
 * Where a launch may be planned and held: in the daemon, whichever front asks it, or in the front itself. For suites about
 * what is planned and not about how a front starts and follows its target.
 */
export const planners: readonly Front[] = [...fronts.filter(({daemon}) => daemon).slice(0, 1), ...fronts.slice(-1)];

export interface RigOptions {
  /** Directories put in front of PATH. */
  readonly path?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

/** A home of its own for the built command, with everything it starts ended at dispose. */
export class LaunchRig implements AsyncDisposable {
  readonly root: string;
  readonly home: string;
  /** Working directory of launches. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;

  private constructor(directory: string, options: RigOptions) {
    this.root = directory;
    this.home = join(directory, 'home');
    this.dir = join(directory, 'work');
    this.env = {
      PATH: [...(options.path ?? []), ...nodeDirectory(), process.env['PATH'] ?? ''].join(delimiter),
      HOME: this.home,
      ...options.env,
    };
  }

  static async create(options: RigOptions = {}, below?: string): Promise<LaunchRig> {
    if (!existsSync(join(root, 'dist', 'build-id'))) throw new Error('dist/ is missing: run npm run build first');
    const rig = new LaunchRig(await temporaryDirectory('launch', below), options);
    await mkdir(rig.home);
    await mkdir(rig.dir);
    return rig;
  }

  get state(): string {
    return join(this.home, '.local', 'state', 'bootcut');
  }

  /** Runs the command to its end. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return run([bootcut, ...args], {
      env: this.environment(options.env),
      cwd: options.cwd ?? this.dir,
      ...(options.input === undefined ? {} : {input: options.input}),
    });
  }

  /**
   * Runs the command until the daemon has served it. A launch gives a silent daemon 50 ms, which a busy test machine may
   * take away from a healthy one; for what is shown here that is chance, not behaviour.
   */
  async served(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    for (let attempt = 1; ; attempt += 1) {
      const finished = await this.run(args, options);
      if ((await this.lastRecord()).via === 'daemon') return finished;
      if (attempt === 20)
        throw new Error(`the daemon served none of ${attempt} launches: ${(await this.lastRecord()).viaReason ?? ''}`);
    }
  }

  /** Runs a shell line in which `bootcut` is our command. */
  shell(line: string, options: RunOptions = {}): Promise<Finished> {
    return run(['/bin/bash', '-c', `bootcut() { ${quoted(bootcut)} "$@"; }\n${line}`], {
      env: this.environment(options.env),
      cwd: options.cwd ?? this.dir,
    });
  }

  /** Starts the command and leaves it running; stdin null, stdout and stderr piped. */
  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    return spawn(bootcut, [...args], {
      env: this.environment(options.env),
      cwd: options.cwd ?? this.dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  environment(changes: RunOptions['env'] = {}): NodeJS.ProcessEnv {
    const merged: Record<string, string | undefined> = {...this.env, ...changes};
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  }

  /** Starts the daemon and waits until it listens and its plugins are loaded. */
  async startDaemon(): Promise<DaemonStatus> {
    const started = await this.run(['daemon', 'start']);
    if (started.status !== 0) throw new Error(`the daemon did not start: ${started.stdout}${started.stderr}`);
    let status = await this.status();
    while (status.ready.planning === null) status = await this.status();
    return status;
  }

  async status(): Promise<DaemonStatus> {
    const {stdout, status, stderr} = await this.run(['daemon', 'status', '--json']);
    if (status !== 0) throw new Error(`no daemon: ${stdout}${stderr}`);
    return JSON.parse(stdout) as DaemonStatus;
  }

  /** Every record, oldest first, straight from disk; a daemon writes down first what has ended. */
  async records(): Promise<readonly LaunchRecord[]> {
    await this.#settle();
    const directory = join(this.state, 'records');
    const names = existsSync(directory) ? (await readdir(directory)).sort() : [];
    const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
    return texts
      .flatMap((text) => text.split('\n').filter((line) => line !== ''))
      .map((line) => JSON.parse(line) as LaunchRecord);
  }

  /** As commands that read records do, but for as long as a busy machine may take. A daemon that is stopped is left alone. */
  async #settle(): Promise<void> {
    const ready = await readFile(join(this.state, 'daemon.json'), 'utf8').catch(() => undefined);
    if (ready === undefined) return;
    const {socket} = JSON.parse(ready) as {readonly socket: string};
    await askDaemon(socket, {kind: 'settle'}, {limit: 2000});
  }

  async lastRecord(): Promise<LaunchRecord> {
    const record = (await this.records()).at(-1);
    if (record === undefined) throw new Error('no launch is on record');
    return record;
  }

  /** Writes an executable script into a directory of the rig and returns its path. */
  async script(name: string, text: string, directory = join(this.root, 'bin')): Promise<string> {
    await mkdir(directory, {recursive: true});
    const path = join(directory, name);
    await writeFile(path, text, {mode: 0o755});
    return path;
  }

  /**
   * Variables that have the Node front run with these options of Node's: a `node` of the rig's own comes first on PATH.
   * NODE_OPTIONS would not do, they are the target's alone.
   */
  async frontWith(options: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const node = process.env['BOOTCUT_TEST_NODE'] || process.execPath;
    const wrapper = `#!/bin/sh\nexec ${[node, ...options].map(quoted).join(' ')} "$@"\n`;
    const path = await this.script('node', wrapper, join(this.root, 'front'));
    return {BOOTCUT_FRONT: 'node', PATH: [dirname(path), this.env['PATH'] ?? ''].join(delimiter)};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of await this.daemons()) endProcess(pid);
    await rm(this.root, {recursive: true, force: true, maxRetries: 5, retryDelay: 50});
  }

  /** Processes of daemons that serve this rig, found by their command line. */
  async daemons(): Promise<readonly number[]> {
    const found: number[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const line = await readFile(join('/proc', name, 'cmdline'), 'utf8').catch(() => '');
      if (line.includes('daemon/main.js') && line.includes(`${this.root}/`)) found.push(Number(name));
    }
    return found;
  }
}

/** Another Node than the one that runs the tests: `BOOTCUT_TEST_NODE` names its binary. */
const nodeDirectory = (): readonly string[] => {
  const node = process.env['BOOTCUT_TEST_NODE'];
  return node === undefined || node === '' ? [] : [dirname(node)];
};

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Ends a process that a rig started; one that is gone already is fine. */
export const endProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone
  }
};
