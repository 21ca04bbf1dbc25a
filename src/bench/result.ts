import type {Slack} from '../readiness/watch.js';
import type {Temperature, ThroughBootcut} from './bench-plan.js';
import type {HostFingerprint} from './host.js';

/** A named moment of one run, in milliseconds since just before its target was started. */
export interface RunMilestone {
  readonly name: string;
  readonly at: number;
  /** `target`: it said so itself. `outside`: we saw it. */
  readonly source: 'target' | 'outside';
  /** How it was noticed, and how late at most; absent where the target stamped it. */
  readonly slack?: Slack;
  /** What answered. */
  readonly detail?: string;
}

/** Processor time by thread name within a window of a run. */
export interface ThreadWindow {
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** Part of all processors of the machine, 0 to 1. */
  readonly share: number;
  readonly threads: readonly {readonly name: string; readonly ms: number}[];
}

/** How one run went. Only `ok` runs are data; the others are shown. */
export type RunState = 'ok' | 'failed' | 'unsettled';

export interface BenchRun {
  readonly variant: string;
  /** 0 for a warm-up, otherwise 1 and up. */
  readonly round: number;
  /** Place in its round, from 0. */
  readonly place: number;
  /** Milliseconds since 1970, for people. */
  readonly startedAt: number;
  readonly state: RunState;
  /** Why it is not `ok`, in words. */
  readonly why?: string;
  /** The last lines of its stderr, where it failed. */
  readonly lastLines?: readonly string[];
  /** Exit status, or the signal that ended it; null where it was ended by us. */
  readonly exit: number | string | null;
  readonly milestones: readonly RunMilestone[];
  /** Numbers that the target reported of itself (`value` or `ms` in a timeline line). */
  readonly metrics: Readonly<Record<string, number>>;
  /** How often a name came, where it came more than once. */
  readonly counts: Readonly<Record<string, number>>;
  /** Intervals that the target reported (`took` in a timeline line), in milliseconds since the start. */
  readonly spans: readonly {readonly name: string; readonly from: number; readonly to: number}[];
  /** Memory of the process tree at the end of the run, in KiB; null where it is not known. */
  readonly memoryKiB: number | null;
  readonly windows?: readonly ThreadWindow[];
}

/** A variant as it is kept: texts that look like secrets are blanked. */
export interface KeptVariant {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd: string;
  readonly temperature: readonly Temperature[];
  readonly prepare?: readonly string[];
  readonly cleanup?: readonly string[];
  readonly through?: ThroughBootcut;
}

/** What was written down before a bench, and what of it was found. */
export interface Registered {
  readonly id: string;
  readonly hash: string;
  readonly registeredAt: string;
  readonly commit: string | null;
}

/** A bench as it is kept on disk. */
export interface BenchResult {
  readonly v: 1;
  readonly id: string;
  readonly title: string;
  /** ISO 8601. */
  readonly at: string;
  readonly build: string;
  readonly host: HostFingerprint;
  /** `running` in a file: it was killed, and what is there is what it had. */
  readonly state: 'running' | 'complete' | 'interrupted';
  readonly variants: readonly KeptVariant[];
  readonly base: string;
  readonly rounds: number;
  readonly warmups: number;
  readonly seed: number;
  readonly endpoint: string;
  readonly until: readonly string[];
  readonly marks: readonly string[];
  /** Names of the variants, round by round, as they were drawn. */
  readonly order: readonly (readonly string[])[];
  readonly runs: readonly BenchRun[];
  readonly registered?: Registered;
  /** Somebody has decided against it, and said why. */
  readonly dropped?: {readonly at: string; readonly why: string};
}
