import type {Trigger} from '../model/first-use.js';
import type {Json} from '../model/json.js';
import type {Launch, ProgramHosts, Updatable} from '../model/launch.js';
import type {Preparation} from '../model/optimization.js';
import type {PlanEdit} from '../model/plan.js';
import type {Outcome} from '../model/record.js';
import type {Finding, NeededBy, Observation, PhaseMarks} from '../model/step.js';
import type {LaunchId, Milliseconds, Moment} from '../model/units.js';
import type {OfferedOptimization, OptimizationInfo} from './optimization-messages.js';

/** What the other side of the fault wall may know of a step: data only. */
export interface StepInfo {
  readonly plugin: string;
  readonly name: string;
  readonly kind: 'lookup' | 'check' | 'secret' | 'action';
  readonly barrier: NeededBy;
  /** For a step that is put off to its first use. */
  readonly trigger?: Trigger;
  readonly limit: Milliseconds;
  readonly required: boolean;
  /** For cached kinds. */
  readonly freshFor: Milliseconds;
  readonly keepFor: Milliseconds;
  readonly private: boolean;
  /** It can say which addresses its read asks. */
  readonly asks?: true;
}

export interface RuntimeInfo {
  readonly plugin: string;
  readonly name: string;
  readonly verbs: readonly string[];
  readonly uses: readonly string[];
  readonly flags: {readonly value: readonly string[]; readonly plain: readonly string[]};
  readonly hasPhases: boolean;
  /** It can say what may be out of date. */
  readonly hasUpdatables: boolean;
  readonly adopts: boolean;
  /** Its program takes values while the target boots. */
  readonly takesLate: boolean;
  readonly hasTimeline: boolean;
  /** It is asked for under names out of its plugin's settings only. */
  readonly hasVariants: boolean;
}

/** A name out of the settings under which a runtime is asked for. */
export interface VariantInfo {
  readonly plugin: string;
  /** Of the runtime that serves it. */
  readonly runtime: string;
  readonly name: string;
  /** Where they differ from the runtime's. */
  readonly uses?: readonly string[];
}

export interface PluginInfo {
  readonly name: string;
  readonly optimizations?: readonly OptimizationInfo[];
  readonly hosts?: readonly ProgramHosts[];
  readonly steps: readonly StepInfo[];
  readonly runtimes: readonly RuntimeInfo[];
  /** Why the plugin could not be loaded; then it has neither steps nor runtimes. */
  readonly fault?: string;
}

/** A step, or one item of it, in a particular launch. */
export interface StepRef {
  readonly plugin: string;
  readonly name: string;
  readonly item?: string;
}

/** What a step's quick functions say before anything is asked. */
export type Inspected =
  | {readonly ref: StepRef; readonly kind: 'wanted'; readonly key: string}
  | {readonly ref: StepRef; readonly kind: 'skipped'}
  | {readonly ref: StepRef; readonly kind: 'broken'; readonly detail: string};

/** A launch as it crosses the wall: with the settings of every plugin; each plugin sees its own. */
export interface SharedLaunch extends Omit<Launch, 'settings' | 'item'> {
  readonly pluginSettings: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export interface GivenAnswer {
  readonly ref: StepRef;
  readonly value: Json;
}

export interface ComposedStep {
  readonly ref: StepRef;
  readonly edits: readonly PlanEdit[];
  /** For a check. */
  readonly notice?: string;
  /** The stored answer did not pass the step's own `parse`, or `apply` threw. */
  readonly fault?: string;
}

export interface Composed {
  readonly steps: readonly ComposedStep[];
  /** Edits of each plugin's `compose`. */
  readonly plugins: readonly {readonly plugin: string; readonly edits: readonly PlanEdit[]; readonly fault?: string}[];
  /** The runtime's own edits, where it was asked along. */
  readonly planned?: {readonly edits: readonly PlanEdit[]; readonly fault?: string};
}

export interface ReadAnswer {
  readonly value: Json;
  readonly etag?: string;
  readonly unchanged: boolean;
  readonly files: readonly (readonly [path: string, identity: string])[];
  readonly spans: readonly {readonly name: string; readonly from: Moment; readonly to: Moment}[];
  /** Edits of an action or of a secret: they never go through the cache. */
  readonly edits?: readonly PlanEdit[];
  /** What a step that was put off gives to its user; not yet checked. */
  readonly use?: unknown;
}

/** What the work of an optimization is told. */
interface WorkArgs {
  readonly launch: LaunchId;
  readonly ref: StepRef;
  readonly directory: string;
}

/** What can be asked of the plugin side, and what comes back. */
export interface Calls {
  readonly describe: {readonly args: Record<string, never>; readonly result: readonly PluginInfo[]};
  readonly variants: {
    readonly args: Pick<SharedLaunch, 'pluginSettings'>;
    readonly result: readonly VariantInfo[];
  };
  readonly updatables: {
    readonly args: {readonly launch: LaunchId; readonly runtime: string};
    readonly result: readonly Updatable[];
  };
  readonly inspect: {
    readonly args: {
      readonly launch: LaunchId;
      readonly steps: readonly {readonly plugin: string; readonly name: string}[];
    };
    readonly result: readonly Inspected[];
  };
  readonly read: {
    readonly args: {
      readonly launch: LaunchId;
      readonly ref: StepRef;
      readonly etag: string | undefined;
      readonly previous: Json | undefined;
    };
    readonly result: ReadAnswer;
  };
  /** Connects to what the reads of these steps would ask, and holds that; see `connectLookUps`. */
  readonly connect: {
    readonly args: {readonly launch: LaunchId; readonly refs: readonly StepRef[]};
    readonly result: Json;
  };
  readonly compose: {
    readonly args: {
      readonly launch: LaunchId;
      readonly answers: readonly GivenAnswer[];
      /** Asks this runtime for its plan as well: for launches whose answers all come from one thread. */
      readonly runtime?: string;
    };
    readonly result: Composed;
  };
  readonly plan: {
    readonly args: {
      readonly launch: LaunchId;
      readonly runtime: string;
      readonly answers: Readonly<Record<string, Json>>;
    };
    readonly result: readonly PlanEdit[];
  };
  readonly late: Calls['plan'];
  readonly phases: {
    readonly args: {readonly launch: LaunchId; readonly runtime: string; readonly seen: Observation};
    readonly result: PhaseMarks;
  };
  /** From every plugin that has something to say. */
  readonly diagnose: {
    readonly args: {readonly launch: LaunchId};
    readonly result: readonly {readonly plugin: string; readonly findings: readonly Finding[]}[];
  };
  /** Asks all optimizations what they can do for a launch; each may keep things in a directory of its own below this one. */
  readonly optimize: {
    readonly args: {readonly launch: LaunchId; readonly directory: string};
    readonly result: readonly OfferedOptimization[];
  };
  readonly warmUp: {readonly args: WorkArgs & {readonly ahead: boolean}; readonly result: Json};
  readonly watch: {readonly args: WorkArgs & {readonly pid: number}; readonly result: null};
  readonly prepare: {readonly args: WorkArgs & {readonly outcome: Outcome}; readonly result: Preparation};
  readonly adopt: {
    readonly args: {readonly launch: LaunchId; readonly runtime: string};
    readonly result: Readonly<Record<string, Json>>;
  };
}

export type CallName = keyof Calls;

/** To the plugin side. */
export type ToPlugins =
  | {
      readonly [K in CallName]: {
        readonly kind: 'call';
        readonly id: number;
        readonly name: K;
        readonly args: Calls[K]['args'];
      };
    }[CallName]
  | {readonly kind: 'launch'; readonly launch: SharedLaunch}
  | {readonly kind: 'forget'; readonly launch: LaunchId}
  | {readonly kind: 'abort'; readonly id: number}
  | {readonly kind: 'ping'; readonly id: number};

/** Why a call came to nothing, as data. */
export interface CallFault {
  readonly reason: string;
  readonly detail: string;
  readonly retryAfter?: number;
}

/** From the plugin side. */
export type FromPlugins =
  | {readonly kind: 'result'; readonly id: number; readonly result: unknown}
  | {readonly kind: 'fault'; readonly id: number; readonly fault: CallFault}
  | {readonly kind: 'pong'; readonly id: number};

/** A plugin can reach the port as well, and may put anything there. */
export const isMessage = (message: unknown): message is FromPlugins =>
  typeof message === 'object' && message !== null && 'kind' in message && 'id' in message;

/** `plugin/step`, or `plugin/step[item]`: how a step is named everywhere. */
export const stepName = (ref: StepRef): string =>
  `${ref.plugin}/${ref.name}${ref.item === undefined ? '' : `[${ref.item}]`}`;
