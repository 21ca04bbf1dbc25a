import type {Json} from './json.js';
import type {LaunchOptions} from './launch.js';
import type {LaunchId} from './units.js';

/**
 * A process that boots a target ahead of need and keeps it. Once a launch could have it, it prints a line `ready` and a line
 * of JSON (`{"form": "paused", "rss": 61440, "boot": 480}`: KiB, milliseconds) on stdout, and listens at the Unix socket
 * `{socket}`. It serves one launch, takes the socket away as soon as that has come, and leaves when its stdin ends before.
 * A launch's program finds the address in `BOOTCUT_STANDBY`.
 */
export interface StandbySpec {
  /** Everything a launch must have in common with a standby to be given it; a project's VM is never another's. */
  readonly key: readonly string[];
  /** What it is kept for, for people: the project's directory. */
  readonly place: string;
  /**
   * Argument list, its first item an absolute path; an item `{socket}` is replaced by the address to listen at. An item
   * `{form}` says that it can do both: `paused`, as above, or `saved`, for which it writes down what later launches go on
   * from by themselves, prints the same lines and ends. That is asked of it where the memory budget has no room for the other.
   */
  readonly command: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What it is expected to hold in memory, MiB: counted against the budget before it is there. */
  readonly memory: number;
}

/** One change that a plugin asks for. Data only, so that it crosses thread and socket unchanged. */
export type PlanEdit =
  /** Put `args` before item `at` of the target's argument list as it was given (0 is the command or verb itself). */
  | {readonly kind: 'insert-args'; readonly at: number; readonly args: readonly string[]}
  /** Take away `count` items from item `at` on of the argument list as it was given: the verb, where it is ours alone. */
  | {readonly kind: 'remove-args'; readonly at: number; readonly count: number}
  | {readonly kind: 'set-env'; readonly name: string; readonly value: string}
  | {readonly kind: 'unset-env'; readonly name: string}
  /** Put `value` and a colon in front of a list variable such as PATH. */
  | {readonly kind: 'prepend-path'; readonly name: string; readonly value: string}
  /** Run this file; the argument list keeps its own first item. Without it the first item is looked up in PATH. */
  | {readonly kind: 'executable'; readonly path: string}
  /** Put an argument list before the target's (the native file behind a verb: `agent-vm`). */
  | {readonly kind: 'prefix-args'; readonly args: readonly string[]}
  /** Write a host file atomically before the target starts; a failure is noted and changes nothing. Mode defaults to 0600. */
  | {readonly kind: 'write-file'; readonly path: string; readonly text: string; readonly mode?: number}
  /** Write a file inside a target that takes late values; `~/` is the home directory there. Mode defaults to 0600. */
  | {readonly kind: 'guest-file'; readonly path: string; readonly text: string; readonly mode?: number}
  /** Report the target's stderr lines that begin with one of these, and when they came. */
  | {readonly kind: 'observe-stderr'; readonly prefixes: readonly string[]}
  /** One line for the user, printed on stderr before the target starts, if stderr is a terminal. */
  | {readonly kind: 'notice'; readonly text: string}
  /** Hand a value to the runtime under a well-known name (`git-identity`: `{name, email, login}`). */
  | {readonly kind: 'provide'; readonly name: string; readonly value: Json}
  /** A target like this one may be kept booted for the next launch like this one. */
  | ({readonly kind: 'standby'} & StandbySpec)
  /** End the launch before it starts: only for what the wrapped tool itself would refuse. */
  | {readonly kind: 'refuse'; readonly text: string; readonly status: number};

/** A piece of the target's argument list: items of the caller's own list, by position, or new ones. */
export type ArgvPiece =
  | {readonly kind: 'keep'; readonly from: number; readonly to: number}
  | {readonly kind: 'literal'; readonly text: string};

export type EnvEdit =
  | {readonly kind: 'set'; readonly name: string; readonly value: string}
  | {readonly kind: 'unset'; readonly name: string}
  | {readonly kind: 'prepend'; readonly name: string; readonly value: string};

/** What a front is told to do. It never holds the caller's own bytes, only positions in them. */
export interface Plan {
  readonly launchId: LaunchId;
  readonly argv: readonly ArgvPiece[];
  readonly env: readonly EnvEdit[];
  readonly executable?: string;
  /** Text for stderr before the target starts, already laid out, without control characters. */
  readonly notice?: string;
  readonly observe: readonly string[];
  /** Present when the target must not be started: the text says why, `status` is our exit status. */
  readonly refusal?: {readonly text: string; readonly status: number};
  /** Readiness that the front is to watch; only the Node front is told of any. */
  readonly until?: NonNullable<LaunchOptions['until']>;
}
