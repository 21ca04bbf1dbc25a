import {createServer, type Server} from 'node:net';
import {freemem, totalmem} from 'node:os';
import {dirname, join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import type {Directories} from '../config/directories.js';
import {durationSetting, readSettings} from '../config/settings.js';
import {createEngine, type OwnedEngine} from '../launch/create-engine.js';
import {done, failed} from '../model/failure.js';
import {protocolVersion} from '../protocol/messages.js';
import {atomicWrite} from '../system/atomic-write.js';
import {buildId} from '../system/build-id.js';
import {systemClock} from '../system/clock.js';
import type {Log} from '../system/log-file.js';
import type {ProcessLock} from '../system/process-lock.js';
import {type Address, announce} from './address.js';
import {Connection} from './connection.js';
import type {Handlers} from './handlers.js';
import {removeLeftOvers} from './left-overs.js';
import {lastAddress, leadTo} from './other-addresses.js';
import {Refresher} from './refresher.js';
import {StandbyPool} from './standby-pool.js';
import {Turns} from './turns.js';

/** A launch that has just started this daemon has it for itself first; then the thread for questions starts. Milliseconds. */
const warmUpDelay = 300;

/** Where a daemon lives; both directories are there. */
export interface DaemonPlace {
  readonly directories: Directories;
  readonly state: string;
  readonly socket: string;
}

/**
 * The long-lived process: one per user and state directory, for as long as it holds the lock.
 *
 * ```
 * serving ──retire (a newer build asks, no launch runs)──▶ draining ──last connection gone──▶ ended
 *    └──stop, idle, address lost────────────────────────────────────────────────────────────▶ ended
 * ```
 */
export class Daemon {
  readonly #place: DaemonPlace;
  readonly #lock: ProcessLock;
  readonly #log: Log;
  readonly #ended: (reason: string) => void;
  readonly #connections = new Set<Connection>();
  readonly #turns = new Turns();
  readonly #startedAt = systemClock.now();
  readonly #idleLimit: number;
  #engine!: OwnedEngine;
  #refresher!: Refresher;
  #standbys!: StandbyPool;
  #server!: Server;
  #address: Address | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #idleSince = systemClock.now();
  /** Milliseconds since the start of the process: listening is not yet being of use. */
  #ready: {readonly listening: number; readonly planning: number | null} = {listening: 0, planning: null};
  #served = 0;
  #isDraining = false;
  #isEnding = false;

  private constructor(place: DaemonPlace, lock: ProcessLock, log: Log, ended: (reason: string) => void) {
    this.#place = place;
    this.#lock = lock;
    this.#log = log;
    this.#ended = ended;
    const settings = readSettings(place.directories.config);
    this.#idleLimit = durationSetting(settings.values, 'daemon.idle');
  }

  /** Listens, then announces; resolves when launches can be served. Throws when the address cannot be had. */
  static async start(
    place: DaemonPlace,
    lock: ProcessLock,
    log: Log,
    ended: (reason: string) => void,
  ): Promise<Daemon> {
    const daemon = new Daemon(place, lock, log, ended);
    await daemon.#open();
    return daemon;
  }

  async #open(): Promise<void> {
    removeLeftOvers(dirname(this.#place.socket), this.#place.state);
    this.#standbys = new StandbyPool({
      clock: systemClock,
      log: this.#log,
      state: this.#place.state,
      socketDirectory: dirname(this.#place.socket),
      configDirectory: this.#place.directories.config,
      memory: () => ({free: freemem(), total: totalmem()}),
    });
    this.#engine = await createEngine(this.#place.directories, this.#log, {
      standbys: this.#standbys,
      turn: () => this.#turns.take(),
      onUse: (question, launch) => {
        if (question.info.freshFor > 0) this.#refresher.use(question, launch);
      },
    });
    this.#refresher = new Refresher(this.#engine.engine.cache, systemClock, this.#log, this.#idleLimit);
    this.#server = createServer((socket) => this.#accept(new Connection(socket, this.#connectionParts)));
    this.#address = await announce(this.#server, this.#place.socket, () => void this.#addressLost());
    const before = lastAddress(this.#place.state);
    if (before !== undefined) leadTo(before, this.#place.socket);
    const ready = {pid: process.pid, build: buildId, protocol: protocolVersion, socket: this.#place.socket};
    atomicWrite(join(this.#place.state, 'daemon.json'), `${JSON.stringify(ready)}\n`, {sync: false});
    this.#ready = {listening: performance.now(), planning: null};
    this.#log('serving', {build: buildId, node: process.version, storeComplaint: this.#engine.storeComplaint});
    // Plugins load now, so that the first launch does not wait for them.
    void this.#engine.plugins.all().then(() => {
      this.#ready = {...this.#ready, planning: performance.now()};
      setTimeout(() => void this.#engine.plugins.warmUp(), warmUpDelay).unref();
    });
    this.#armIdle();
  }

  get #connectionParts(): ConstructorParameters<typeof Connection>[1] {
    return {
      engine: this.#engine.engine,
      clock: systemClock,
      log: this.#log,
      handlers: this.#handlers,
      turns: this.#turns,
      isDraining: () => this.#isDraining,
    };
  }

  readonly #handlers: Handlers = {
    status: async () =>
      done({
        pid: process.pid,
        build: buildId,
        protocol: protocolVersion,
        socket: this.#place.socket,
        uptime: systemClock.now() - this.#startedAt,
        ready: this.#ready,
        launches: {running: this.#running, served: this.#served},
        answers: {keptFresh: this.#refresher.count, nextRefreshIn: this.#refresher.nextIn},
        memory: {rss: process.memoryUsage.rss()},
        cpu: process.cpuUsage(),
        idleExitIn: this.#running > 0 ? null : Math.max(0, this.#idleSince + this.#idleLimit - systemClock.now()),
        node: process.version,
      }),
    stop: async ({force}) => {
      await setImmediate(); // a launch that has ended before this question counts as ended
      if (this.#running > 0 && !force) return failed({reason: 'daemon-busy', launches: this.#running});
      void setImmediate().then(() => this.end('asked to stop'));
      return done({stopping: true});
    },
    'standby-list': async () => done({standbys: [...this.#standbys.list()]}),
    'standby-start': async ({standby}) => {
      const started = await this.#standbys.start(standby);
      return started.ok
        ? done({started: true, form: started.form})
        : failed({reason: 'no-standby', detail: started.detail});
    },
    'standby-drop': async ({place}) => done({dropped: await this.#standbys.drop(place)}),
    entered: async ({directory}) => done({expected: this.#engine.engine.entered(directory)}),
    settle: async () => {
      await this.#settle();
      return done({settled: true});
    },
    retire: async () => {
      await this.#settle();
      if (this.#running > 0) return done({retired: false, launches: this.#running});
      this.#log('retiring');
      this.#isDraining = true;
      // The successor can have the lock now; our socket keeps answering until its own is in place.
      this.#lock.release();
      return done({retired: true, launches: 0});
    },
  };

  /** Puts on record what has ended. First a turn of the event loop: reports that lie in sockets already are taken in. */
  async #settle(): Promise<void> {
    await setImmediate();
    await Promise.allSettled([...this.#connections].map((connection) => connection.settle()));
  }

  get #running(): number {
    return [...this.#connections].filter(({isLaunching}) => isLaunching).length;
  }

  #accept(connection: Connection): void {
    this.#connections.add(connection);
    clearTimeout(this.#idleTimer);
    void connection.closed().then(
      async () => await this.#connectionEnded(connection),
      (error: unknown) => {
        this.#connections.delete(connection);
        this.#log('internal-error', {detail: String(error)});
      },
    );
  }

  async #connectionEnded(connection: Connection): Promise<void> {
    this.#connections.delete(connection);
    if (connection.hasLaunched) this.#served += 1;
    if (this.#connections.size > 0) return;
    if (this.#isDraining && this.#address?.isOurs() === false) {
      await this.end('replaced by a newer build');
      return;
    }
    if (!this.#isDraining) await this.#refresher.plan();
    this.#armIdle();
  }

  #armIdle(): void {
    this.#idleSince = systemClock.now();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(
      () => {
        if (this.#connections.size === 0) void this.end('idle');
      },
      Math.min(this.#idleLimit, 2_147_483_647),
    );
  }

  /** Our path names another socket, or nothing: then somebody took our place, or the directory was cleaned. */
  async #addressLost(): Promise<void> {
    if (this.#isEnding) return;
    if (this.#isDraining) {
      this.#server.close();
      if (this.#connections.size === 0) await this.end('replaced by a newer build');
      return;
    }
    this.#log('address-lost', {socket: this.#place.socket});
    await this.end('the address names something else now');
  }

  /** Ends the daemon: no new launches, plugin threads and children ended, address and lock given up. */
  async end(reason: string): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#log('ending', {reason});
    this.#address?.leave();
    this.#server.close();
    this.#refresher.stop();
    await this.#settle();
    await Promise.all([this.#standbys.close(), this.#engine.close()]);
    this.#lock.release();
    this.#ended(reason);
  }
}
