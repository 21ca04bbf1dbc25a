import {type ChildProcess, execFileSync, spawn, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync} from 'node:fs';
import {mkdir, readdir, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const native = join(root, 'plugins', 'qemu', 'native');

/** The host program under test: with the sanitizers, so that a wrong byte is a failed test. */
const program = join(native, 'bootcut-vm-sanitized');

const qemuName = 'qemu-system-x86_64';

/** A directory that the guest has read-only, at its host path. */
interface ReadOnlyShare {
  readonly tag: string;
  readonly path: string;
  readonly access: 'ro';
}

interface GuestMaker {
  findKernel: () => string | undefined;
  makeGuest: (directory: string, agent: string, kernel?: string) => void;
  guestOptions: (guest: {
    directory: string;
    project: string;
    qemu?: string;
    user?: string;
    more?: readonly ReadOnlyShare[];
  }) => string[];
}

const maker = (await import(/* @vite-ignore */ new URL('guest.mjs', `file://${native}/`).href)) as GuestMaker;

const hasQemu = (): boolean => spawnSync(qemuName, ['--version'], {stdio: 'ignore'}).status === 0;

/** Builds the native programs; false where there is no C compiler, no QEMU or no kernel for a guest. */
export const canRunGuests = (): boolean => {
  execFileSync(process.execPath, [join(native, 'build.mjs'), '--sanitized'], {stdio: 'ignore'});
  return existsSync(program) && hasQemu() && existsSync('/boot') && maker.findKernel() !== undefined;
};

/** The kernel and the initramfs, made once for this agent: unpacking the kernel takes seconds. */
const guestDirectory = (): string => {
  const agent = join(native, 'bootcut-agent');
  const hash = createHash('sha256')
    .update(readFileSync(agent))
    .update(maker.findKernel() ?? '');
  const cache = join(root, 'node_modules', '.cache', 'bootcut-test');
  const home = join(cache, `guest-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(home)) return home;
  mkdirSync(cache, {recursive: true});
  const temporary = mkdtempSync(join(cache, 'making-guest-'));
  chmodSync(temporary, 0o755);
  maker.makeGuest(temporary, agent);
  try {
    renameSync(temporary, home);
  } catch {
    rmSync(temporary, {recursive: true, force: true}); // another test file was faster
  }
  return home;
};

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Wishes {
  /** Options before `--qemu`. */
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string | Buffer;
  /** Instead of QEMU. */
  readonly qemu?: string;
  /** What follows these words of the guest's options (`-kernel`, `-m`, …) is this instead. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** A directory with a project in it, and guests that see it. Most tests restore a template: that takes a tenth of a boot. */
export class VmBench implements AsyncDisposable {
  readonly root: string;
  readonly project: string;
  readonly #guestOptions: readonly string[];
  readonly #started: ChildProcess[] = [];

  private constructor(directory: string, tags: readonly string[]) {
    this.root = directory;
    this.project = join(directory, 'project');
    const more = tags.map((tag) => ({tag, path: join(directory, tag), access: 'ro'}) as const);
    this.#guestOptions = maker.guestOptions({directory: guestDirectory(), project: this.project, more});
  }

  /** `tags`: directories of these names below the root are shared read-only, at their host paths. */
  static async create(tags: readonly string[] = []): Promise<VmBench> {
    const bench = new VmBench(await temporaryDirectory('vm'), tags);
    for (const name of ['project', ...tags]) await mkdir(join(bench.root, name));
    return bench;
  }

  /** The guest's kernel or initramfs. */
  part(option: '-kernel' | '-initrd'): string {
    return this.#guestOptions[this.#guestOptions.indexOf(option) + 1] ?? '';
  }

  get template(): readonly string[] {
    return ['--template', join(this.root, 'template')];
  }

  get timeline(): string {
    return join(this.root, 'timeline');
  }

  get log(): string {
    return join(this.root, 'log');
  }

  /** The whole command line of a verb. */
  line(
    verb: 'run' | 'keep',
    options: readonly string[],
    command: readonly string[],
    qemu = qemuName,
    instead: Readonly<Record<string, string>> = {},
  ): string[] {
    const own = ['--log', this.log, '--timeline', this.timeline, '--boot-limit', '30000'];
    const given = this.#guestOptions;
    const guest = given.map((word, at) => (word === qemuName ? qemu : (instead[given[at - 1] ?? ''] ?? word)));
    return [program, verb, ...own, ...options, ...guest, '--', ...command];
  }

  /** Every test of a file may use it afterwards. */
  async makeTemplate(options: readonly string[] = []): Promise<void> {
    const keeper = new Keeper(this, ['--form', 'saved', ...this.template, ...options]);
    await keeper.ready;
    await keeper.ended;
  }

  start(
    command: readonly string[],
    {options = this.template, env = process.env, qemu, instead}: Wishes = {},
  ): ChildProcess {
    const [file = '', ...args] = this.line('run', options, command, qemu, instead);
    const child = spawn(file, args, {cwd: this.root, env: {...env, ASAN_OPTIONS: 'detect_leaks=0'}, stdio: 'pipe'});
    this.#started.push(child);
    return child;
  }

  /** `bootcut-vm keep`; it leaves when its stdin ends. */
  startKeeper(options: readonly string[]): ChildProcess {
    const [file = '', ...args] = this.line('keep', options, []);
    const env = {...process.env, ASAN_OPTIONS: 'detect_leaks=0'};
    const child = spawn(file, args, {cwd: this.root, env, stdio: 'pipe'});
    this.#started.push(child);
    return child;
  }

  async run(command: readonly string[], wishes: Wishes = {}): Promise<Ended> {
    const child = this.start(command, wishes);
    child.stdin?.on('error', () => undefined).end(wishes.input); // a command that reads nothing closes it
    return collect(child);
  }

  /** Names of the milestones in the order in which they came. */
  async milestones(): Promise<string[]> {
    const lines = (await readFile(this.timeline, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => line.split('\t')[0] ?? '');
  }

  /** Processes that have this bench's directory on their command line. */
  async processes(): Promise<string[]> {
    const found: string[] = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (words.includes(this.root) && pid !== String(process.pid)) found.push(`${pid} ${words.split('\0')[0] ?? ''}`);
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#started) child.kill('SIGKILL'); // what a failed test has left; QEMU goes with it
    await rm(this.root, {recursive: true, force: true});
  }
}

export const collect = (child: ChildProcess): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (status, signal) =>
      resolve({status, signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString()}),
    );
  });

/** `bootcut-vm keep`. `ready` has the figures it announces; it fails when the keeper ends before. */
export class Keeper {
  readonly child: ChildProcess;
  readonly ready: Promise<{readonly form: string; readonly rss: number; readonly boot: number}>;
  readonly ended: Promise<number | null>;

  constructor(bench: VmBench, options: readonly string[]) {
    const [file = '', ...args] = bench.line('keep', [...options, '--ready-fd', '3'], []);
    const env = {...process.env, ASAN_OPTIONS: 'detect_leaks=0'};
    const child = spawn(file, args, {cwd: bench.root, env, stdio: ['pipe', 'ignore', 'inherit', 'pipe']});
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', (status) => resolve(status)));
    this.ready = new Promise((resolve, reject) => {
      let text = '';
      const announcement = child.stdio[3] as NodeJS.ReadableStream;
      announcement.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      announcement.on('end', () => {
        const figures = /^ready\n(\{.*\})\n$/.exec(text)?.[1];
        if (figures === undefined) reject(new Error(`the keeper announced ${JSON.stringify(text)}`));
        else resolve(JSON.parse(figures) as {form: string; rss: number; boot: number});
      });
    });
  }
}

/** A frame of VALUES (frames.h): items of kind, mode, name and value. */
export const values = (
  items: readonly (readonly [kind: 'env' | 'file', name: string, value: string, mode?: number])[],
  last = false,
): Buffer => {
  const text = (value: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(value));
    return Buffer.concat([length, Buffer.from(value)]);
  };
  const payload = Buffer.concat(
    items.flatMap(([kind, name, value, mode = 0o600]) => {
      const head = Buffer.from([kind === 'env' ? 1 : 2, 0, 0]);
      head.writeUInt16LE(mode, 1);
      return [head, text(name), text(value)];
    }),
  );
  const head = Buffer.from([5, last ? 1 : 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(payload.length, 4);
  return Buffer.concat([head, payload]);
};
