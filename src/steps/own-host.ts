import type {LaunchId, Milliseconds} from '../model/units.js';
import type {Log} from '../system/log-file.js';
import {callFault} from './call-fault.js';
import type {CallHost, CallResult} from './call-host.js';
import {PluginHost} from './host.js';
import {loadPlugins, type PluginSource} from './load.js';
import type {CallName, Calls, SharedLaunch} from './messages.js';
import {pluginCalls} from './plugin-calls.js';
import type {PluginSide} from './plugin-side.js';

/** Calls that ask something slow: they may hang, start programs or load megabytes of code. */
const slowCalls: ReadonlySet<CallName> = new Set<CallName>([
  'read',
  'connect',
  'diagnose',
  'warmUp',
  'watch',
  'prepare',
]);

/**
 * The plugins that came with us. Their quick functions (`key`, `compose`, `plan`, …) run right here: two thread switches
 * cost more than all of them together. What asks goes behind the wall, into a thread that starts with the first question;
 * a launch that finds everything fresh needs none.
 */
export class OwnHost implements CallHost {
  readonly sources: readonly PluginSource[];
  readonly #behind: PluginHost;
  readonly #launches = new Map<LaunchId, SharedLaunch>();
  #side: Promise<PluginSide> | undefined;

  constructor(sources: readonly PluginSource[], log: Log) {
    this.sources = sources;
    this.#behind = new PluginHost(sources, log);
  }

  remember(launch: SharedLaunch): void {
    this.#launches.set(launch.id, launch);
    this.#behind.remember(launch);
  }

  forget(launch: LaunchId): void {
    this.#launches.delete(launch);
    this.#behind.forget(launch);
  }

  async call<K extends CallName>(
    name: K,
    args: Calls[K]['args'],
    options: {readonly limit?: Milliseconds; readonly signal?: AbortSignal} = {},
  ): Promise<CallResult<K>> {
    if (slowCalls.has(name)) return await this.#behind.call(name, args, options);
    this.#side ??= loadPlugins(this.sources).then((loaded) => ({loaded, launches: this.#launches}));
    try {
      return {ok: true, value: await pluginCalls[name](await this.#side, args, neverAborts)};
    } catch (error) {
      return {ok: false, fault: callFault(error)};
    }
  }

  /** Starts the thread for questions before the first one comes: its start keeps this thread busy for a moment. */
  async warmUp(): Promise<void> {
    await this.#behind.call('describe', {});
  }

  async close(): Promise<void> {
    await this.#behind.close();
  }
}

const neverAborts = new AbortController().signal;
