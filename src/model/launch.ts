import type {Json} from './json.js';
import type {LaunchId, Milliseconds, Moment} from './units.js';

/** What a descriptor of the caller's is; `closed` when it is not open. */
export type StdioKind = 'tty' | 'pipe' | 'file' | 'socket' | 'device' | 'closed';

/** Our own options of one launch, after flag, environment variable and setting have been weighed. */
export interface LaunchOptions {
  /** Runtime asked for by name; absent: the verb decides. */
  readonly runtime?: string;
  /** How long optional work may hold the launch before the target starts. Default 4 s. */
  readonly budget: Milliseconds;
  /** Ignore stored answers (they are still written). */
  readonly noCache: boolean;
  /** Do every step in this process. */
  readonly noDaemon: boolean;
  /** Steps or plugins wanted although the runtime does not use them by itself. */
  readonly with: readonly string[];
  /** Steps, plugins or optimizations left out. */
  readonly without: readonly string[];
  /** Conditions that make the launch ready, as they were written, and how long they are waited for. */
  readonly until?: {readonly conditions: readonly string[]; readonly limit: Milliseconds};
  /** Say on stderr what a launch was spared and waited for. */
  readonly verbose: boolean;
}

/**
 * A launch as plugins see it: plain data, frozen, complete. `env` and `cwd` are the caller's; the daemon's own are
 * never used for anything.
 */
export interface Launch {
  readonly id: LaunchId;
  /** The word after `bootcut`: `run`, `shell`, `claude`, … */
  readonly verb: string;
  readonly runtime: string;
  /** The target's argument list with our own flags taken out; for a verb such as `shell` its first item is the verb. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdio: readonly [StdioKind, StdioKind, StdioKind];
  readonly options: LaunchOptions;
  /** The settings of the plugin that is looking (`plugins.<name>` in the configuration). */
  readonly settings: Readonly<Record<string, Json>>;
  /** What the runtime says could be out of date. */
  readonly updatables: readonly Updatable[];
  /** Hosts that plugins name for this program (`Plugin.hosts`); absent for none. */
  readonly hosts?: readonly string[];
  /** Which of a step's `items` this is about; undefined for steps without. */
  readonly item?: string;
}

/** A thing of which there may be something newer. */
export interface Updatable {
  readonly source: 'oci' | 'github' | 'npm';
  /** Image reference, `owner/repo`, or package name. */
  readonly name: string;
  /** Digests or versions the user has; none means 'not known', and then nothing is ever said. */
  readonly have: readonly string[];
  /** Second line of the notice: what to do. */
  readonly advice?: string;
}

/** Where a program connects to. */
export interface ProgramHosts {
  /** File name of the command: `gh`. */
  readonly program: string;
  /** `host` or `host:port`; the port defaults to 443. */
  readonly hosts: readonly string[];
}

/** What a front (launcher or Node) tells about a launch before it is planned. */
export interface LaunchRequest {
  /** The command line after `bootcut`, byte for byte. */
  readonly argv: readonly Uint8Array[];
  /** `NAME=value` items, byte for byte. */
  readonly env: readonly Uint8Array[];
  readonly cwd: Uint8Array;
  readonly stdio: readonly [StdioKind, StdioKind, StdioKind];
  /** When our command was exec'ed, as well as the front can tell. */
  readonly execAt: Moment;
  /** When the front's own code began to run. */
  readonly frontAt: Moment;
  /** When the request was sent. */
  readonly sentAt: Moment;
  readonly pid: number;
  readonly front: string;
  /** stdout and stderr are one open file: the order of their bytes must not be touched. */
  readonly mergedOutput: boolean;
}
