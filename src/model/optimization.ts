import type {Json} from './json.js';
import type {Launch} from './launch.js';
import type {PlanEdit} from './plan.js';
import type {Outcome} from './record.js';
import type {KeyPart} from './step.js';
import type {Milliseconds} from './units.js';

/** Where an optimization keeps what it has prepared. */
export interface OptimizationTools {
  /** A directory of its own below the user's cache, 0700. It is there, except perhaps while `plan` looks. */
  readonly directory: string;
}

/** What the work of an optimization beside and after a launch is given. */
export interface OptimizationWork extends OptimizationTools {
  /** Aborts at the time limit, or when the launch that the work was for is over. Pass it to everything slow. */
  readonly signal: AbortSignal;
}

/** What a warm-up is given. */
export interface WarmUpWork extends OptimizationWork {
  /** No launch waits for it yet, and there may be none: whoever works now comes first. */
  readonly ahead: boolean;
}

/** What an optimization can do for one launch. */
export interface OptimizationPlan {
  /**
   * Everything that launches must have in common to be compared with one another and to share one preparation: the build of
   * the interpreter, the content of what it loads, flags. Hash secrets first (`hashed`).
   */
  readonly subject: readonly KeyPart[];
  /** The subject for people, without anything secret: `editor.jar`. */
  readonly label: string;
  /**
   * The optimization itself, as changes of the plan; empty where it works by `warmUp` alone. Absent: nothing is prepared yet.
   * Left out in a launch that is held back.
   */
  readonly use?: readonly PlanEdit[];
  /** Which preparation is in use, such as the identity of an archive: another one is judged anew. */
  readonly prepared?: string;
  /** Changes of a launch for which nothing is prepared yet, from which `prepare` learns. They must not slow it down much. */
  readonly learn?: readonly PlanEdit[];
}

/** What came of a preparation. */
export interface Preparation {
  /** What is kept on disk for this subject, bytes. */
  readonly bytes: number;
  /** One line for people. */
  readonly detail?: string;
}

/**
 * Something that makes launches faster and changes nothing of what the target does. Whether it pays is measured: one launch
 * in `holdback` runs without it, `bootcut savings` shows the difference, and what does not pay is switched off.
 * Off for one launch with `--without plugin/name`.
 */
export interface Optimization {
  /** Unique in its plugin; shown as `plugin/name`. */
  readonly name: string;
  /** What it does, one line, for `bootcut savings`. */
  readonly summary: string;
  /** What it can do for this launch, undefined for nothing. Runs at every launch: quick, starts no process. */
  readonly plan: (launch: Launch, tools: OptimizationTools) => OptimizationPlan | undefined;
  /**
   * Runs beside the launch from when it has been planned, in the daemon only; nobody waits for it and it changes nothing of
   * the plan. What it returns is shown in the record.
   */
  readonly warmUp?: (launch: Launch, work: WarmUpWork) => Promise<Json | undefined>;
  /**
   * `warmUp` may also run before a launch that is expected, with the last launch of the program in the same directory, once
   * something is prepared. The launch that comes takes it over instead of warming up again; when none comes in time it is
   * ended. Default false.
   */
  readonly ahead?: boolean;
  /**
   * Beside a launch that is learnt from, once its target runs: sees what that does, for `prepare`. `pid` is the target's own
   * process. The signal aborts when the launch is over, and after a minute.
   */
  readonly watch?: (launch: Launch, work: OptimizationWork & {readonly pid: number}) => Promise<void>;
  /**
   * After a launch for which nothing was prepared, off its path, once for all launches of the subject at a time. Throw for
   * 'not possible now': it is then left alone for a day or until the subject changes.
   */
  readonly prepare?: (launch: Launch, work: OptimizationWork & {readonly outcome: Outcome}) => Promise<Preparation>;
  /** Longest time `prepare` may take. Default 5 min. */
  readonly limit?: Milliseconds;
}
