import {Worker} from 'node:worker_threads';
import type {LaunchId, Milliseconds} from '../model/units.js';
import {builtFile} from '../system/installation.js';
import type {Log} from '../system/log-file.js';
import {callFault} from './call-fault.js';
import type {CallHost, CallResult} from './call-host.js';
import {ChildTable} from './child-table.js';
import {
  closeLimit,
  faultPause,
  faultsInARow,
  loadLimit,
  pingLimit,
  quickLimit,
  threadMemory,
  youngMemory,
} from './host-limits.js';
import type {PluginSource} from './load.js';
import {
  type CallFault,
  type CallName,
  type Calls,
  type FromPlugins,
  isMessage,
  type SharedLaunch,
  type ToPlugins,
} from './messages.js';

interface Pending {
  readonly resolve: (result: CallResult<CallName>) => void;
  readonly timer: NodeJS.Timeout;
  readonly signal: AbortSignal | undefined;
  readonly abandon: () => void;
}

/** A worker with what belongs to it alone: what comes late from an ended one must not touch its successor. */
interface Thread {
  readonly worker: Worker;
  /** Launches it knows. */
  readonly known: Set<LaunchId>;
  /** Process groups that its plugins have started. */
  readonly children: ChildTable;
}

/**
 * The host's side of the fault wall: one worker thread with the code of one or more plugins, started when first needed,
 * ended when it hangs, started again at the next call. Calls never throw and never outlive their limit.
 */
export class PluginHost implements CallHost {
  readonly sources: readonly PluginSource[];
  readonly #log: Log;
  #thread: Thread | undefined;
  #lastId = 0;
  readonly #pending = new Map<number, Pending>();
  readonly #pings = new Map<number, () => void>();
  readonly #launches = new Map<LaunchId, SharedLaunch>();
  #faults = 0;
  /** Monotonic milliseconds. */
  #restsUntil = 0;
  #closed = false;

  constructor(sources: readonly PluginSource[], log: Log) {
    this.sources = sources;
    this.#log = log;
  }

  remember(launch: SharedLaunch): void {
    // The thread may know it as it was before: then it is told again.
    if (this.#launches.get(launch.id) !== launch) this.#thread?.known.delete(launch.id);
    this.#launches.set(launch.id, launch);
  }

  forget(launch: LaunchId): void {
    this.#launches.delete(launch);
    if (this.#thread?.known.delete(launch) === true) this.#post({kind: 'forget', launch});
  }

  async call<K extends CallName>(
    name: K,
    args: Calls[K]['args'],
    options: {readonly limit?: Milliseconds; readonly signal?: AbortSignal} = {},
  ): Promise<CallResult<K>> {
    if (this.#closed) return faultOf('abandoned', closedDetail);
    if (performance.now() < this.#restsUntil)
      return faultOf('plugin-ended', 'the plugin failed too often; it rests for a minute');
    if (options.signal?.aborted === true) return faultOf('abandoned', 'nobody wants the answer any more');
    this.#thread ??= this.#start();
    if ('launch' in args) this.#introduce(args.launch, this.#thread);
    this.#lastId += 1;
    const id = this.#lastId;
    const limit = options.limit ?? (name === 'describe' ? loadLimit : quickLimit);
    const result = await new Promise<CallResult<CallName>>((resolve) => {
      const timer = setTimeout(() => this.#overdue(id), limit);
      const abandon = (): void => this.#abandon(id);
      this.#pending.set(id, {resolve, timer, signal: options.signal, abandon});
      options.signal?.addEventListener('abort', abandon, {once: true});
      this.#post({kind: 'call', id, name, args} as ToPlugins);
    });
    return result;
  }

  /** What is under way then is nobody's failure: the one who asked has ended, or the plugin is another one by now. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#quiet();
    await this.#end(faultOf('abandoned', closedDetail));
  }

  /**
   * Tells the thread to give up what it is doing, and waits a moment for it to notice. A thread that is ended in the middle
   * of starting a program would leave it behind: nobody knows its number yet.
   */
  async #quiet(): Promise<void> {
    if (this.#thread === undefined) return;
    for (const id of this.#pending.keys()) this.#post({kind: 'abort', id});
    this.#lastId += 1;
    const id = this.#lastId;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, closeLimit);
      this.#pings.set(id, () => {
        clearTimeout(timer);
        resolve();
      });
      this.#post({kind: 'ping', id});
    });
    this.#pings.delete(id);
  }

  /** Takes the present thread out of use and ends it with everything it started. */
  async #end(fault: CallResult<CallName>): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    for (const id of [...this.#pending.keys()]) this.#settle(id, fault);
    if (thread === undefined) return;
    thread.children.kill();
    await thread.worker.terminate();
    thread.children.kill(); // what it started before it noticed
  }

  #start(): Thread {
    const children = new ChildTable();
    const worker = new Worker(builtFile('steps/worker.js'), {
      workerData: {sources: this.sources, children: children.memory},
      // Nothing of the daemon's own: a plugin gets its launch's environment with the launch.
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: {maxOldGenerationSizeMb: threadMemory, maxYoungGenerationSizeMb: youngMemory},
    });
    // What a plugin prints goes nowhere: stdout belongs to the target, and a flood must not fill memory.
    worker.stdout.resume();
    worker.stderr.resume();
    const thread: Thread = {worker, known: new Set(), children};
    worker.on('message', (message: unknown) => {
      if (isMessage(message)) this.#receive(message);
    });
    worker.on('error', (error: unknown) => this.#log('plugin-thread-error', {detail: callFault(error).detail}));
    worker.on('exit', (code) => this.#ended(thread, code));
    worker.unref();
    return thread;
  }

  #introduce(id: LaunchId, {known}: Thread): void {
    const launch = this.#launches.get(id);
    if (launch === undefined || known.has(id)) return;
    this.#post({kind: 'launch', launch});
    known.add(id);
  }

  #post(message: ToPlugins): void {
    this.#thread?.worker.postMessage(message);
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
    }
  }

  #settle(id: number, result: CallResult<CallName>): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    pending.signal?.removeEventListener('abort', pending.abandon);
    pending.resolve(result);
  }

  /** A call has used up its time: tell it so, answer for it, and see whether its thread still lives. */
  #overdue(id: number): void {
    this.#post({kind: 'abort', id});
    this.#settle(id, faultOf('timed-out', 'it took longer than its limit'));
    const thread = this.#thread;
    const timer = setTimeout(() => {
      this.#pings.delete(id);
      if (thread === undefined || thread !== this.#thread) return;
      this.#log('plugin-thread-hung', {plugins: this.sources.map(({name}) => name)});
      this.#countFault();
      void this.#end(faultOf('plugin-ended', 'the plugin hung and was ended'));
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

  #ended(thread: Thread, code: number): void {
    if (thread !== this.#thread) return;
    this.#log('plugin-thread-ended', {code, plugins: this.sources.map(({name}) => name)});
    this.#countFault();
    void this.#end(faultOf('plugin-ended', 'the plugin ended its thread'));
  }

  #countFault(): void {
    this.#faults += 1;
    if (this.#faults >= faultsInARow) this.#restsUntil = performance.now() + faultPause;
  }
}

const closedDetail = 'whoever asked has ended, or the plugin was removed or replaced';

const faultOf = (reason: string, detail: string): {readonly ok: false; readonly fault: CallFault} => ({
  ok: false,
  fault: {reason, detail},
});
