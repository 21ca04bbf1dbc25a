import type {Condition} from '../readiness/condition.js';

/**
 * What is put into a known state before each run, outside of its time and in this order: the daemon stopped, stored answers
 * cleared, a standby booted that the launch then has to take, the kernel's page cache dropped. None of them: warm, as the
 * run before has left it.
 */
export const temperatures = ['daemon-cold', 'cache-cold', 'standby-warm', 'page-cold'] as const;

export type Temperature = (typeof temperatures)[number];

/** None of the above, for a variant that is not to be as the first one is. */
export const warm = 'warm';

/** How a variant is launched through bootcut; absent for a program that is started as it is. */
export interface ThroughBootcut {
  readonly verb: string;
  readonly runtime: string | undefined;
  /** Megabytes or what the runtime takes; handed on as `--memory`. */
  readonly memory: string | undefined;
  readonly with: readonly string[];
  readonly without: readonly string[];
}

/** One of the things that are compared. */
export interface Variant {
  readonly name: string;
  /** An argument list: there is no shell in between unless it is a shell. */
  readonly command: readonly string[];
  /** Changes of the environment; null takes a variable out. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd: string;
  /** Run to their end before and after each run, outside of its time. */
  readonly prepare: readonly string[] | undefined;
  readonly cleanup: readonly string[] | undefined;
  readonly temperature: readonly Temperature[];
  readonly through: ThroughBootcut | undefined;
}

/** The name of the milestone that a target's end is. */
export const exitMilestone = 'exit';

/** The name of the moment from which all conditions are met, where there are several. */
export const readyMilestone = 'ready';

/** Everything that decides what a bench does. The first variant is the base, unless another one is named. */
export interface BenchPlan {
  readonly variants: readonly Variant[];
  readonly base: string;
  readonly rounds: number;
  readonly warmups: number;
  readonly seed: number;
  /** All of them must come true; then the run is over. None: it is over when the target ends. */
  readonly until: readonly Condition[];
  /** Looked out for as milestones, and not waited for. */
  readonly marks: readonly Condition[];
  /** The milestone by which variants are ranked and verdicts come first. */
  readonly endpoint: string;
  /** A run that is not at its end after this long has failed; in milliseconds. */
  readonly limitMs: number;
  /** How long a target may take to end after SIGTERM, before it is killed; in milliseconds. */
  readonly graceMs: number;
  /** Sample the processor time of each thread at each milestone. */
  readonly threads: boolean;
}

/** What `endpoint` is when nobody names it. */
export const defaultEndpoint = (until: readonly Condition[]): string => {
  if (until.length > 1) return readyMilestone;
  return until[0]?.name ?? exitMilestone;
};
