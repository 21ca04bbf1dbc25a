import type {CommandTrigger, CommandUse, FileTrigger, FileUse, PortTrigger, PortUse} from './first-use.js';
import type {Json} from './json.js';
import type {Launch, ProgramHosts, Updatable} from './launch.js';
import type {Optimization} from './optimization.js';
import type {PlanEdit} from './plan.js';
import type {Milliseconds, Moment} from './units.js';

/**
 * The phase whose start waits for a step. With a runtime that takes late values (`Runtime.late`) the target boots while
 * `run` steps are still asking; with any other, `run` waits as `boot` does.
 */
export type Barrier = 'boot' | 'run';

/** When a step is needed: at a barrier, when it is first used, or never (a check). */
export type NeededBy = Barrier | 'first-use' | 'none';

/** One part of a cache key. Hash secrets first (`hashed`). */
export type KeyPart = string | number | boolean | null | undefined;

/** What the read of a step is given besides the launch. */
export interface ReadTools {
  /** Aborts at the step's time limit, or when nobody wants the answer any more. Pass it to everything slow. */
  readonly signal: AbortSignal;
  /** Times a part of the step; it shows in the profile under the step. */
  readonly span: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** The answer also depends on this file: it is looked at again, by identity, whenever the answer is read. */
  readonly dependsOn: (path: string) => void;
  /** The ETag stored with the previous answer, for a conditional request. */
  readonly etag: string | undefined;
  /** The previous answer as it was stored, even an expired one, or undefined. */
  readonly previous: Json | undefined;
}

/** Return this from `read` when a conditional request said 304: the previous answer becomes fresh again. */
export interface Unchanged {
  readonly unchanged: true;
}

/** Return this from `read` to store an ETag with the answer. */
export interface Tagged<Value extends Json> {
  readonly value: Value;
  readonly etag: string;
}

interface StepBase {
  /** Unique in its plugin; shown as `plugin/name`. */
  readonly name: string;
  /** Does this launch need the step at all? Default: yes. Must be quick and start no process. */
  readonly when?: (launch: Launch) => boolean;
  /** Longest time the step may take. Default 3 s (agent-vm's own limit for `gh api user`). */
  readonly limit?: Milliseconds;
}

interface CachedStep<Value extends Json> extends StepBase {
  /**
   * Everything the answer depends on: account, host, identity of configuration files, variables, directory. Must be
   * quick and start no process; it runs at every launch.
   */
  readonly key: (launch: Launch) => readonly KeyPart[];
  /** Until when an answer counts as fresh. A stale one is used now and refreshed behind. */
  readonly freshFor: Milliseconds;
  /** Until when an answer may be used at all. */
  readonly keepFor: Milliseconds;
  /** Asks. Throw for 'no answer'; an error is never stored as an answer. */
  readonly read: (launch: Launch, tools: ReadTools) => Promise<Value | Tagged<Value> | Unchanged>;
  /** Checks what `read` returned and, again, what the store returned. Throw for anything else. */
  readonly parse: (stored: unknown) => Value;
  /** Not for a store shared with other people or machines. Default true. */
  readonly private?: boolean;
  /**
   * Ask once for each of these; each has an answer of its own, and `launch.item` tells which one it is. Default: one
   * question without a name.
   */
  readonly items?: (launch: Launch) => readonly string[];
  /**
   * Addresses (`https://api.example.com`) that `read` would ask through `httpClient` or `githubClient` in this launch, two at
   * most: connections to them are made beside its work, and ahead of launches that are expected. None where it would ask
   * nobody, or by another program. Quick, starts no process. Default: none.
   */
  readonly asks?: (launch: Launch) => readonly string[];
}

/** A slow question whose checked answer may be cached. */
export interface LookupStep<Value extends Json = Json> extends CachedStep<Value> {
  readonly kind: 'lookup';
  readonly neededBy: Barrier;
  /** Turns the answer into changes of the plan. */
  readonly apply?: (answer: Value, launch: Launch) => readonly PlanEdit[];
  /** The launch must not go on without an answer. Default false. */
  readonly required?: boolean;
}

/** A question that only ever leads to a notice: it delays nothing and fails nothing. */
export interface CheckStep<Value extends Json = Json> extends CachedStep<Value> {
  readonly kind: 'check';
  /** The notice for this answer, one or two lines, or undefined. Quick; runs at every launch that has an answer. */
  readonly notice: (answer: Value, launch: Launch) => string | undefined;
}

/** A value that is asked for at every launch, never stored, never logged, never shown: a token. */
export interface SecretStep extends StepBase {
  readonly kind: 'secret';
  readonly neededBy: Barrier;
  readonly read: (launch: Launch, tools: Pick<ReadTools, 'signal' | 'span'>) => Promise<string | undefined>;
  readonly apply: (secret: string, launch: Launch) => readonly PlanEdit[];
}

/** Something that must happen at every launch. */
export interface BarrierAction extends StepBase {
  readonly kind: 'action';
  readonly neededBy: Barrier;
  readonly act: (launch: Launch, tools: Pick<ReadTools, 'signal' | 'span'>) => Promise<readonly PlanEdit[]>;
  readonly required?: boolean;
}

/**
 * Something that must happen before its first use, and does not happen at all in a launch that makes no use of it. It runs
 * once in a launch; whoever comes meanwhile waits for it, at most for its limit. A failure costs only what it would have
 * given: the command runs anyway, the file is empty, the connection is closed.
 */
interface FirstUse<On, Use> extends StepBase {
  readonly kind: 'action';
  readonly neededBy: 'first-use';
  readonly trigger: On;
  /** The launch is under way: what it gives goes to those who use it, and nowhere else. */
  readonly act: (launch: Launch, tools: Pick<ReadTools, 'signal' | 'span'>) => Promise<Use>;
}

export type FirstUseAction =
  | FirstUse<CommandTrigger, CommandUse | undefined>
  | FirstUse<FileTrigger, FileUse>
  | FirstUse<PortTrigger, PortUse>;

export type ActionStep = BarrierAction | FirstUseAction;

/* `any` stands for "some value type": a plugin's steps have different ones, and each is checked where it is defined. */
// biome-ignore lint: see above
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Step = LookupStep<any> | CheckStep<any> | SecretStep | ActionStep;

/** A line of the target's stderr that a runtime asked to have reported. */
export interface ObservedLine {
  readonly at: Moment;
  readonly text: string;
}

/** A named moment inside a launch. */
export interface Milestone {
  readonly name: string;
  readonly at: Moment;
}

/** A timed part of a launch that a runtime derived from outside, such as `create`. */
export interface DerivedSpan {
  readonly name: string;
  readonly from: Moment;
  readonly to: Moment;
}

/** Where the phases of a launch end, as a runtime saw it; absent ones were not seen. */
export interface PhaseMarks {
  /** The target's own pre-boot work is done; the boot begins. Default: when the target was started. */
  readonly bootAt?: Moment;
  /** The target runs what the user asked for. Default: when the target was started. */
  readonly runAt?: Moment;
  /** The user's command is over and the target cleans up. Default: when the target ended. */
  readonly teardownAt?: Moment;
  readonly milestones: readonly Milestone[];
  readonly spans: readonly DerivedSpan[];
}

/** What a runtime learns of a finished launch, to place the phases. */
export interface Observation {
  readonly startedAt: Moment;
  readonly endedAt: Moment;
  readonly lines: readonly ObservedLine[];
  /** What the target itself wrote down: see `Runtime.timeline`. */
  readonly milestones: readonly Milestone[];
}

/** A name under which a runtime is asked for, out of its plugin's settings. */
export interface RuntimeVariant {
  readonly name: string;
  /** In place of the runtime's own `uses`. */
  readonly uses?: readonly string[];
}

/** Adapter that boots, runs and stops a target. */
export interface Runtime {
  readonly name: string;
  /**
   * This runtime is asked for under these names, which its plugin's settings hold, and not under its own; `launch.runtime`
   * tells which. A runtime that has a name by itself goes before. Quick; asked only where no runtime has the wanted name.
   */
  readonly variants?: (settings: Readonly<Record<string, Json>>) => readonly RuntimeVariant[];
  /** Launch verbs that mean this runtime unless another is asked for. */
  readonly verbs: readonly string[];
  /** Steps (`plugin/step`) whose answers this runtime makes use of; they run at each of its launches. */
  readonly uses?: readonly string[];
  /**
   * Flags of the wrapped tool that may stand before the command, so that our own flags may stand among them:
   * `value` ones take the next token. Default none.
   */
  readonly flags?: {readonly value: readonly string[]; readonly plain: readonly string[]};
  /** Turns the answers (by `plugin/step`) and the provided values (by their name) into changes of the plan. Quick. */
  readonly plan: (launch: Launch, answers: Readonly<Record<string, Json>>) => readonly PlanEdit[];
  /**
   * This runtime's program takes values while its target boots. Asked once answers have come that `plan` did not have: turns
   * all of them into values for it (`set-env`, `guest-file`). The program finds a Unix socket named in `BOOTCUT_VALUES` when
   * there is something to come; frames as in `src/protocol/values-codec.ts`. What other steps want in the target's
   * environment comes this way too.
   */
  readonly late?: (launch: Launch, answers: Readonly<Record<string, Json>>) => readonly PlanEdit[];
  /** This runtime's program writes milestones to the file named in `BOOTCUT_TIMELINE`. Default false. */
  readonly timeline?: boolean;
  /** What could be out of date for this launch; `update-check` looks after it. Quick, starts no process. */
  readonly updatables?: (launch: Launch) => readonly Updatable[];
  /** Places the phases of a finished launch from what could be seen outside. */
  readonly phases?: (launch: Launch, seen: Observation) => PhaseMarks;
  /** After the target has ended: take up what the target itself found out. Answers by `plugin/step` to be stored. */
  readonly adopt?: (launch: Launch) => Promise<Readonly<Record<string, Json>>>;
}

/** One thing that `bootcut doctor` says. */
export interface Finding {
  /** What it is about, in a word or two. */
  readonly name: string;
  /** A `fault` keeps something from working; a `warning` may be meant. */
  readonly state: 'ok' | 'warning' | 'fault';
  /** One line. */
  readonly text: string;
  /** What to do, one line. */
  readonly advice?: string;
}

/** A plugin: one literal; nothing runs at import. */
export interface Plugin {
  readonly name: string;
  readonly steps?: readonly Step[];
  readonly runtimes?: readonly Runtime[];
  /** What makes launches faster without changing them. */
  readonly optimizations?: readonly Optimization[];
  /** Hosts that programs will talk TLS to: `preconnect` connects to them beside their start, and ahead of it. */
  readonly hosts?: readonly ProgramHosts[];
  /** Turns the answers of this plugin's steps (by step name) together into changes of the plan. Quick. */
  readonly compose?: (answers: Readonly<Record<string, Json>>, launch: Launch) => readonly PlanEdit[];
  /** What `bootcut doctor` should say of this plugin's world, seen from a launch that would begin here and now. */
  readonly diagnose?: (launch: Launch, tools: Pick<ReadTools, 'signal'>) => Promise<readonly Finding[]>;
}
