import type {Json} from './json.js';
import type {NeededBy} from './step.js';
import type {LaunchId, Milliseconds, WallTime} from './units.js';

export type PhaseName = 'client' | 'pre-boot' | 'boot' | 'run' | 'teardown';

/** A part of a launch in milliseconds since the exec of our command. */
export interface Interval {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
}

export interface PhaseRecord extends Interval {
  readonly name: PhaseName;
}

/** What became of a step in one launch. */
export type StepState =
  /** The stored answer was used as it is. */
  | 'fresh'
  /** The stored answer was used and is being refreshed behind. */
  | 'stale'
  /** Asked in this launch. */
  | 'read'
  | 'failed'
  | 'timed-out'
  /** The launch's budget ran out first; the answer is for the next launch. */
  | 'deferred'
  /** A check that was still asking when the target started. */
  | 'not-waited'
  /** It was put off to its first use, and there was none. */
  | 'not-used'
  | 'skipped';

export interface StepRecord extends Interval {
  /** `plugin/step`, with `[item]` where the step has items. */
  readonly step: string;
  readonly kind: 'lookup' | 'check' | 'secret' | 'action';
  readonly barrier: NeededBy;
  readonly state: StepState;
  /** What asking took when the answer was read, in this launch or before: what a fresh answer spares. */
  readonly cost: Milliseconds;
  /** Short name of what went wrong. */
  readonly reason?: string;
  /** The same for people. */
  readonly detail?: string;
  readonly spans: readonly (Interval & {readonly name: string})[];
}

/** What became of an optimization in one launch. */
export type OptimizationState =
  | 'used'
  /** Left out in this launch, so that its saving stays measured. */
  | 'held-back'
  /** Nothing was prepared yet; this launch was learnt from. */
  | 'learning'
  /** Nothing is prepared, and nothing could be learnt from this launch. */
  | 'not-prepared'
  /** It does not pay for launches like this one. */
  | 'switched-off'
  /** The user left it out. */
  | 'left-out';

export interface OptimizationRecord {
  /** `plugin/name`. */
  readonly name: string;
  readonly state: OptimizationState;
  /** What it was compared by: a digest, and the same for people. */
  readonly subject: string;
  readonly label: string;
  /** What its warm-up said, where that had ended before the launch did. */
  readonly said?: Json;
  /** So long before the launch its warm-up began, where the launch was expected. */
  readonly ahead?: Milliseconds;
}

/** Name of a step's span: a connection that was made before its request was sent, from its beginning until TLS stood. */
export const connectionAhead = 'connection ahead';

/** As warm-ups are named: connections for the look-ups of launches that are expected. */
export const lookUpConnections = 'preconnect/look-ups';

export type Outcome =
  | {readonly kind: 'exited'; readonly code: number}
  | {readonly kind: 'killed'; readonly signal: number}
  | {readonly kind: 'not-started'; readonly code: number; readonly detail: string}
  /** The front was killed or the connection broke: how the target ended is not known. */
  | {readonly kind: 'lost'};

/** Everything kept of one launch. JSON, one line in the record log. */
export interface LaunchRecord {
  readonly v: 1;
  readonly id: LaunchId;
  /** Wall clock at the exec of our command. */
  readonly at: WallTime;
  readonly build: string;
  /** Which front served it: `node` or `launcher`. */
  readonly front: string;
  /** Was the daemon in the path, and if not, why. */
  readonly via: 'daemon' | 'in-process';
  readonly viaReason?: string;
  readonly verb: string;
  readonly runtime: string;
  /** Which release of the runtime's program it was; absent where the runtime's plugin has no look-up named `version`. */
  readonly runtimeVersion?: string;
  /** File name of the target; never its arguments, which may hold secrets. */
  readonly target: string;
  readonly cwd: string;
  readonly temperature: 'warm' | 'cold' | 'mixed';
  /** It was given a target that had been booted ahead of need. */
  readonly standby?: true;
  /** Milliseconds from exec of our command to the last thing known of it. */
  readonly total: Milliseconds;
  readonly phases: readonly PhaseRecord[];
  readonly steps: readonly StepRecord[];
  readonly milestones: readonly {readonly name: string; readonly at: Milliseconds}[];
  readonly spans: readonly (Interval & {readonly name: string})[];
  /** Absent where there was none for it. */
  readonly optimizations?: readonly OptimizationRecord[];
  /** How long the target's start was held for answers. */
  readonly waited: Milliseconds;
  readonly outcome: Outcome;
  /** Things worth knowing that were not worth a word on stderr. */
  readonly notes: readonly string[];
}
