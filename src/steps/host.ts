import {Worker} from 'node:worker_threads';
import {type LaunchId, type Milliseconds, ms} from '../model/units.js';
import type {Log} from '../system/log-file.js';
import type {PluginSource} from './load.js';
import type {CallFault, CallName, Calls, FromPlugins, SharedLaunch, ToPlugins} from './messages.js';

/** What a call came to: the plugin side's data, or why there is none. */
export type CallResult<K extends CallName> =
  | {readonly ok: true; readonly value: Calls[K]['result']}
  | {readonly ok: false; readonly fault: CallFault};

/** How long quick functions (`key`, `apply`, `plan`, …) may take before their thread counts as hung. */
const quickLimit = ms(1000);

/** Loading may import large packages on a busy machine. */
const loadLimit = ms(10_000);

/** After its limit a call is aborted; a thread that does not even answer a ping for this long is ended. */
const pingLimit = ms(150);

/** A thread that failed this often in a row is left alone for {@link faultPause}. */
const faultsInARow = 3;
const faultPause = 60_000;

/** Memory of one plugin thread, in MiB, before V8 ends it: generous for what look-ups need. */
const threadMemory = 256;

interface Pending {
  readonly name: CallName;
  readonly resolve: (result: CallResult<CallName>) => void;
  timer: NodeJS.Timeout;
}

/**
 * The host's side of the fault wall: one worker thread with the code of one or more plugins, started when first needed,
 * ended when it hangs, started again at the next call. Calls never throw and never outlive their limit.
 */
export class PluginHost {
  readonly sources: readonly PluginSource[];
  readonly #log: Log;
  #worker: Worker | undefined;
  #lastId = 0;
  readonly #pending = new Map<number, Pending>();
  readonly #pings = new Map<number, () => void>();
  /** Launches the present thread knows. */
  readonly #known = new Set<LaunchId>();
  readonly #launches = new Map<LaunchId, SharedLaunch>();
  readonly #children = new Set<number>();
  #faults = 0;
  #restAfter = 0;

  constructor(sources: readonly PluginSource[], log: Log) {
    this.sources = sources;
    this.#log = log;
  }

  /** Makes a launch known, so that calls can name it. */
  remember(launch: SharedLaunch): void {
    this.#launches.set(launch.id, launch);
  }

  forget(launch: LaunchId): void {
    this.#launches.delete(launch);
    if (this.#known.delete(launch)) this.#post({kind: 'forget', launch});
  }

  /** Calls the plugin side. `limit` defaults to one second, for the functions that must be quick. */
  async call<K extends CallName>(
    name: K,
    args: Calls[K]['args'],
    options: {readonly limit?: Milliseconds; readonly signal?: AbortSignal} = {},
  ): Promise<CallResult<K>> {
    if (Date.now() < this.#restAfter)
      return faultOf('plugin-ended', 'the plugin failed too often; it rests for a minute');
    if (options.signal?.aborted === true) return faultOf('abandoned', 'nobody wants the answer any more');
    this.#start();
    if ('launch' in args && !this.#known.has(args.launch)) this.#introduce(args.launch);
    this.#lastId += 1;
    const id = this.#lastId;
    const limit = options.limit ?? (name === 'describe' ? loadLimit : quickLimit);
    const result = await new Promise<CallResult<CallName>>((resolve) => {
      const timer = setTimeout(() => this.#overdue(id), limit);
      this.#pending.set(id, {name, resolve, timer});
      options.signal?.addEventListener('abort', () => this.#abandon(id), {once: true});
      this.#post({kind: 'call', id, name, args} as ToPlugins);
    });
    return result;
  }

  /** Ends the thread and everything it started. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#endChildren();
    await worker?.terminate();
  }

  #start(): void {
    if (this.#worker !== undefined) return;
    this.#known.clear();
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: {sources: this.sources},
      // Nothing of the daemon's own: a plugin gets its launch's environment with the launch.
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: {maxOldGenerationSizeMb: threadMemory},
    });
    // What a plugin prints goes nowhere: stdout belongs to the target, and a flood must not fill memory.
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (message: FromPlugins) => this.#receive(message));
    worker.on('error', (error) => this.#log('plugin-thread-error', {detail: error.message}));
    worker.on('exit', (code) => this.#ended(worker, code));
    worker.unref();
    this.#worker = worker;
  }

  #introduce(id: LaunchId): void {
    const launch = this.#launches.get(id);
    if (launch === undefined) return;
    this.#post({kind: 'launch', launch});
    this.#known.add(id);
  }

  #post(message: ToPlugins): void {
    this.#worker?.postMessage(message);
  }

  #receive(message: FromPlugins): void {
    switch (message.kind) {
      case 'result':
        this.#faults = 0;
        this.#settle(message.id, {ok: true, value: message.result as Calls[CallName]['result']});
        return;
      case 'fault':
        this.#settle(message.id, {ok: false, fault: message.fault});
        return;
      case 'pong':
        this.#pings.get(message.id)?.();
        return;
      case 'child':
        if (message.alive) this.#children.add(message.pid);
        else this.#children.delete(message.pid);
    }
  }

  #settle(id: number, result: CallResult<CallName>): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    pending.resolve(result);
  }

  /** A call has used up its time: tell it so, answer for it, and see whether its thread still lives. */
  #overdue(id: number): void {
    this.#post({kind: 'abort', id});
    this.#settle(id, faultOf('timed-out', 'it took longer than its limit'));
    const worker = this.#worker;
    const timer = setTimeout(() => {
      this.#pings.delete(id);
      if (worker === undefined || worker !== this.#worker) return;
      this.#log('plugin-thread-hung', {plugins: this.sources.map(({name}) => name)});
      this.#worker = undefined;
      this.#failAll('the plugin hung and was ended');
      this.#endChildren();
      void worker.terminate();
    }, pingLimit);
    this.#pings.set(id, () => {
      this.#pings.delete(id);
      clearTimeout(timer);
    });
    this.#post({kind: 'ping', id});
  }

  #abandon(id: number): void {
    if (!this.#pending.has(id)) return;
    this.#post({kind: 'abort', id});
    this.#settle(id, faultOf('abandoned', 'nobody wants the answer any more'));
  }

  #ended(worker: Worker, code: number): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#log('plugin-thread-ended', {code, plugins: this.sources.map(({name}) => name)});
    this.#failAll('the plugin ended its thread');
    this.#endChildren();
  }

  #failAll(detail: string): void {
    this.#faults += 1;
    if (this.#faults >= faultsInARow) this.#restAfter = Date.now() + faultPause;
    for (const id of [...this.#pending.keys()]) this.#settle(id, faultOf('plugin-ended', detail));
  }

  #endChildren(): void {
    for (const pid of this.#children) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // ended already
      }
    }
    this.#children.clear();
  }
}

const faultOf = (reason: string, detail: string): {readonly ok: false; readonly fault: CallFault} => ({
  ok: false,
  fault: {reason, detail},
});
