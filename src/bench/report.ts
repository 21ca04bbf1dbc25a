import type {Comparison} from './judge.js';
import type {JudgedPrediction} from './predictions.js';
import type {BenchResult, BenchRun, RunMilestone} from './result.js';
import type {Summary} from './statistics.js';

/** What a row of figures is of. */
export type RowKind = 'milestone' | 'metric' | 'count' | 'memory';

/** One variant's figures in a row. */
export interface Cell {
  readonly variant: string;
  readonly summary: Summary;
  /** Values far from the others, for the notice; they count all the same. */
  readonly outliers: readonly number[];
  /** Against the base; null for the base itself. */
  readonly comparison: Comparison | null;
  /** Do the ranges of this variant and the base share a value? */
  readonly overlaps: boolean | null;
}

export interface Row {
  readonly kind: RowKind;
  readonly name: string;
  readonly source: RunMilestone['source'];
  readonly isEndpoint: boolean;
  readonly cells: readonly Cell[];
  /** The largest detection slack of all runs, in milliseconds; null where the target stamped it. */
  readonly slackMs: number | null;
  readonly slackBy: 'event' | 'polled' | null;
}

/** A figure of the target's own that moved while the endpoint did not. */
export interface Misleading {
  readonly variant: string;
  readonly row: string;
  readonly verdict: 'faster' | 'slower';
  readonly share: number | null;
  readonly difference: number | null;
}

/** A moment of one run that the target and a look from outside put far apart, in milliseconds since the start. */
export interface FarMark {
  readonly round: number;
  readonly target: number;
  readonly outside: number;
}

/** A moment that the target tells of itself and that is looked for from outside as well. */
export interface MarkGap {
  readonly variant: string;
  readonly name: string;
  /** From the target's own mark to the look from outside, in milliseconds; below zero where the target tells it later. */
  readonly gap: Summary;
  /** Gaps far from the others. */
  readonly outliers: readonly number[];
  /** Runs in which the two disagree: by more than a tenth of a second and a fifth of the time. */
  readonly far: readonly FarMark[];
}

/** Processor time of a variant's threads between two milestones, medians over its runs. */
export interface ThreadUse {
  readonly variant: string;
  readonly from: string;
  readonly to: string;
  /** Runs that have both milestones, one after the other. */
  readonly n: number;
  /** Of all threads, in milliseconds. */
  readonly ms: number;
  /** Part of all processors of the machine, 0 to 1. */
  readonly share: number;
  /** The busiest, threads of one name together. */
  readonly threads: readonly {readonly name: string; readonly ms: number}[];
}

/** A part of the way to the endpoint. */
export interface Part {
  readonly name: string;
  /** Median over the runs, in milliseconds. */
  readonly ms: number;
  /** Of the endpoint's median. */
  readonly share: number;
}

/** Where a variant's time goes, and what of it is worth acting on. */
export interface Attribution {
  readonly variant: string;
  readonly total: number;
  /** Between one milestone and the next; they add up to the total, but for medians not being additive. */
  readonly parts: readonly Part[];
  /** Intervals that the target reported; those inside of others are left out, so nothing is counted twice. */
  readonly spans: readonly Part[];
  /** The rule: what takes more than this part of the total. */
  readonly actAbove: number;
  readonly actOn: readonly Part[];
  readonly leave: readonly Part[];
}

export interface VariantCount {
  readonly variant: string;
  readonly ok: number;
  readonly failed: number;
  readonly unsettled: number;
  /** Endpoint of the first run, which is a warm-up and no data. */
  readonly firstRun: number | null;
}

/** Everything that a bench says, as data. */
export interface BenchReport {
  readonly result: BenchResult;
  readonly counts: readonly VariantCount[];
  /** By the median of the endpoint, the quickest first; variants without a value last. */
  readonly ranking: readonly string[];
  /** The endpoint first, then in the order of time. */
  readonly rows: readonly Row[];
  readonly misleading: readonly Misleading[];
  /** How far apart own marks and looks from outside are, where a name has both. */
  readonly markGaps: readonly MarkGap[];
  readonly attribution: readonly Attribution[];
  /** Empty where the threads were not sampled. */
  readonly threads: readonly ThreadUse[];
  /** What was registered before, against what was found; empty where nothing was. */
  readonly predictions: readonly JudgedPrediction[];
  /** Runs that are no data, in their order. */
  readonly notOk: readonly BenchRun[];
}
