import type {LaunchId, Milliseconds} from '../model/units.js';
import type {PluginSource} from './load.js';
import type {CallFault, CallName, Calls, SharedLaunch} from './messages.js';

/** What a call came to: the plugin side's data, or why there is none. */
export type CallResult<K extends CallName> =
  | {readonly ok: true; readonly value: Calls[K]['result']}
  | {readonly ok: false; readonly fault: CallFault};

/** Plugins as the engine sees them, wherever their code runs. */
export interface CallHost {
  readonly sources: readonly PluginSource[];
  /** Makes a launch known, so that calls can name it. */
  readonly remember: (launch: SharedLaunch) => void;
  readonly forget: (launch: LaunchId) => void;
  /** Never throws, never outlives its limit; `limit` defaults to one second, for the functions that must be quick. */
  readonly call: <K extends CallName>(
    name: K,
    args: Calls[K]['args'],
    options?: {readonly limit?: Milliseconds; readonly signal?: AbortSignal},
  ) => Promise<CallResult<K>>;
  /** Ends everything it started, for good; whoever waits for an answer is told. */
  readonly close: () => Promise<void>;
}
