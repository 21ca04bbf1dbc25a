import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, realpath, rm, writeFile} from 'node:fs/promises';
import {createServer, type Server, type Socket} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {nameHash} from '../../../src/config/name-hash.js';
import type {LaunchRequest} from '../../../src/model/launch.js';
import type {Plan} from '../../../src/model/plan.js';
import type {LaunchId} from '../../../src/model/units.js';
import {FrameReader} from '../../../src/protocol/frames.js';
import {encodeGreeting} from '../../../src/protocol/greeting.js';
import {decodeLaunch} from '../../../src/protocol/launch-codec.js';
import {frameType, protocolVersion} from '../../../src/protocol/messages.js';
import {encodePlan} from '../../../src/protocol/plan-codec.js';
import {decodeProgress, type Progress} from '../../../src/protocol/progress-codec.js';
import {type Finished, run} from '../../rig/program.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The launcher under test: with the sanitizers, so that a wrong byte is a failed test. */
export const sanitizedLauncher = join(root, 'launcher', 'bootcut-launch-sanitized');

/** Builds both launchers; false where there is no C compiler. */
export const haveLauncher = (): boolean => {
  execFileSync(process.execPath, [join(root, 'scripts', 'build-launcher.mjs'), '--sanitized'], {stdio: 'ignore'});
  return existsSync(sanitizedLauncher);
};

/** Which build the installation of a bench says it is. */
export const build = '1.2.3+1796000000.0badcafe';

export const welcome = encodeGreeting('welcome', {protocol: protocolVersion, build});

/** A plan that runs the caller's own command line after `run --`. */
export const planFor = (changes: Partial<Plan> = {}): Plan => ({
  launchId: '01TEST' as LaunchId,
  argv: [{kind: 'keep', from: 2, to: 1000}],
  env: [],
  observe: [],
  ...changes,
});

/** What came over one connection. */
export interface Peer {
  readonly socket: Socket;
  request: LaunchRequest | undefined;
  readonly progress: Progress[];
  /** Everything that it sent has come. */
  readonly gone: Promise<void>;
}

/** What a scripted daemon does when the request is there. */
export type Script = (peer: Peer) => void;

/** Greets, and answers with a plan made for the request. */
export const planning =
  (changes: Partial<Plan> = {}): Script =>
  ({socket, request}) => {
    const plan = planFor({argv: [{kind: 'keep', from: 2, to: request?.argv.length ?? 0}], ...changes});
    socket.write(Buffer.concat([welcome, encodePlan(plan)]));
  };

/**
 * An installation with nothing in it but a launcher, a daemon's socket that does what a test says, and in the place of the
 * Node front a script that says so: `node front: BOOTCUT_FRONT | ARGUMENTS`.
 */
export class LauncherBench implements AsyncDisposable {
  readonly root: string;
  readonly peers: Peer[] = [];
  readonly env: Readonly<Record<string, string>>;
  readonly #server: Server;
  #script: Script = planning();

  private constructor(directory: string) {
    this.root = directory;
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: join(directory, 'home'),
      // stderr is the target's; what a sanitizer finds goes to a file, and the status says that there is one.
      ASAN_OPTIONS: `log_path=${join(directory, 'found')}:detect_leaks=0:exitcode=99`,
      UBSAN_OPTIONS: `log_path=${join(directory, 'found')}:print_stacktrace=1`,
    };
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async create(): Promise<LauncherBench> {
    const bench = new LauncherBench(await realpath(await temporaryDirectory('launcher')));
    const state = join(bench.root, 'home', '.local', 'state', 'bootcut');
    await mkdir(join(state, 'run'), {recursive: true, mode: 0o700});
    await mkdir(join(bench.root, 'bin'));
    await mkdir(join(bench.root, 'dist'));
    await mkdir(join(bench.root, 'work'));
    await writeFile(join(bench.root, 'dist', 'build-id'), `${build}\n`);
    await writeFile(join(bench.root, 'bin', 'bootcut'), '#!/bin/sh\necho "node front: $BOOTCUT_FRONT | $*"\n', {
      mode: 0o755,
    });
    await new Promise<void>((resolve) => {
      bench.#server.listen(join(state, 'run', `${nameHash(state)}.sock`), resolve);
    });
    return bench;
  }

  /** From now on. */
  serve(script: Script): void {
    this.#script = script;
  }

  /**
   * Runs the launcher to its end. This process is the daemon as well, and on a busy machine it may be too slow for the 50 ms
   * that a launch waits: then `patient` (the default) means once more. Returns when what it reported has been read: it does
   * not wait for that itself.
   */
  async run(
    args: readonly string[],
    options: {
      readonly input?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly patient?: boolean;
    } = {},
  ): Promise<Finished> {
    for (let tries = 1; ; tries += 1) {
      const before = this.peers.length;
      const finished = await run([sanitizedLauncher, `--at=${join(this.root, 'bin')}`, ...args], {
        ...(options.input === undefined ? {} : {input: options.input}),
        env: {...this.env, ...options.env},
        cwd: join(this.root, 'work'),
      });
      await Promise.all(this.peers.slice(before).map(({gone}) => gone));
      const givenUp = finished.stdout.startsWith('node front:') && finished.stdout.includes('without:daemon-silence');
      if (!givenUp || options.patient === false || tries === 10) return finished;
      this.peers.splice(0);
    }
  }

  /** In a session and process group of its own, stdout and stderr piped. */
  start(args: readonly string[]): ChildProcess {
    return spawn(sanitizedLauncher, [`--at=${join(this.root, 'bin')}`, ...args], {
      env: this.env,
      cwd: join(this.root, 'work'),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const {socket} of this.peers) socket.destroy();
    this.#server.close();
    await rm(this.root, {recursive: true, force: true});
  }

  #serve(socket: Socket): void {
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const peer: Peer = {socket, request: undefined, progress: [], gone};
    const reader = new FrameReader();
    this.peers.push(peer);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const received = reader.push(chunk);
      if (!received.ok) throw new Error(received.reason);
      for (const {type, payload} of received.frames) {
        if (type === frameType.launch) {
          peer.request = decodeLaunch(payload);
          this.#script(peer);
        } else if (type !== frameType.hello) {
          const progress = decodeProgress(type, payload);
          if (progress === undefined) throw new Error(`a report that makes no sense (${type})`);
          peer.progress.push(progress);
        }
      }
    });
  }
}
