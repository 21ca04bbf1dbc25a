import type {OptimizationRecord, Outcome, PhaseName, StepRecord, StepState} from '../model/record.js';
import type {BootForm} from './boot-form.js';

/**
 * What the record of one launch says. Published as it is by `profile --json` and described by
 * `schemas/profile.schema.json`; names that end in `Ms` are milliseconds, counted from the exec of our command where they
 * are moments. Every figure is a whole number of microseconds.
 */
export interface LaunchProfile {
  readonly id: string;
  /** Wall clock at the exec of our command, ISO 8601 in UTC. */
  readonly at: string;
  readonly verb: string;
  readonly runtime: string;
  /** Release of the runtime's program, where it is known. */
  readonly runtimeVersion?: string;
  /** It was given a target that had been booted ahead of need. */
  readonly standby?: true;
  /** How it came by its VM; absent where the runtime has none. */
  readonly boot?: BootForm;
  /** What made it faster, or was left out so that it stays measured; absent where there was nothing for it. */
  readonly optimizations?: readonly OptimizationRecord[];
  /** File name of the target. */
  readonly target: string;
  readonly cwd: string;
  readonly build: string;
  readonly front: string;
  readonly via: 'daemon' | 'in-process';
  readonly viaReason?: string;
  readonly outcome: Outcome;
  readonly temperature: 'warm' | 'cold' | 'mixed';
  readonly totalMs: number;
  /** What `totalMs` runs to. */
  readonly endpoint: Endpoint;
  /** From the exec of our command until boot begins: the phases `client` and `pre-boot`. */
  readonly preBootMs: number;
  /** From the exec of our command until run begins; null when the target never started. */
  readonly readyMs: number | null;
  /** How long the target's start was held for answers. */
  readonly waitedMs: number;
  /** What asking for all answers takes, measured in this launch or when they were stored. */
  readonly lookupsMs: number;
  /** In the order of time, with `unattributed` at the end; the durations add up to `totalMs`. */
  readonly phases: readonly PhaseRow[];
  /** In the order of time. They may overlap one another and the phases: never to be summed. */
  readonly steps: readonly StepRow[];
  readonly milestones: readonly MilestoneRow[];
  readonly criticalPath: readonly Segment[];
  readonly notes: readonly string[];
}

/** What a launch's total runs to: its command's end, the start that failed, or the last that was heard of it. */
export type Endpoint = 'end-of-command' | 'failed-start' | 'last-sign';

export interface PhaseRow {
  readonly name: PhaseName | 'unattributed';
  /** Null for `unattributed`, which may lie in several places. */
  readonly fromMs: number | null;
  readonly durationMs: number;
  /** Part of the total, 0 to 1. */
  readonly share: number;
  /** What is known to have happened in it, ours and the runtime's. */
  readonly spans: readonly SpanRow[];
  /** The part of the phase that neither a span nor a step that was waited for explains. */
  readonly otherMs: number;
}

export interface SpanRow {
  readonly name: string;
  readonly fromMs: number;
  readonly durationMs: number;
  /** Another one went on at the same time: their durations must not be added. */
  readonly overlaps: boolean;
}

export interface StepRow extends Omit<SpanRow, 'name'> {
  /** `plugin/step`, with `[item]` where the step has items. */
  readonly step: string;
  readonly kind: StepRecord['kind'];
  /** The phase whose start waits for it, or its first use; null for a check, which nothing waits for. */
  readonly neededBy: Exclude<StepRecord['barrier'], 'none'> | null;
  readonly state: StepState;
  /** What asking takes, measured in this launch or when the answer was stored. */
  readonly costMs: number;
  /** What the stored answer saved this launch from asking. */
  readonly sparedMs: number;
  readonly reason?: string;
  readonly detail?: string;
  readonly spans: readonly SpanRow[];
}

export interface MilestoneRow {
  readonly name: string;
  readonly atMs: number;
  /** The phase it lies in; null outside all of them. */
  readonly phase: PhaseName | null;
}

/** A piece of the critical path; each begins where the one before it ends. */
export interface Segment {
  readonly name: string;
  /** `rest`: the part of a phase that nothing explains. */
  readonly kind: 'phase' | 'step' | 'span' | 'rest';
  readonly phase: PhaseName | 'unattributed';
  readonly fromMs: number;
  readonly durationMs: number;
}
