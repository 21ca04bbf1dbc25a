import type {Json} from './json.js';
import type {Finding, NeededBy} from './step.js';
import type {CacheKey} from './units.js';

/** A stored answer as it stands now. */
export interface StoredAnswer {
  readonly key: CacheKey;
  /** `plugin/step`, with `[item]` where the step has items. */
  readonly step: string;
  /** `changed`: a file it depends on is not what it was. */
  readonly state: 'fresh' | 'stale' | 'expired' | 'changed';
  /** Times of day are ISO 8601, as this goes out as JSON. */
  readonly readAt: string;
  readonly freshUntil: string;
  readonly expiresAt: string;
  readonly ageMs: number;
  /** Below zero when it is over. */
  readonly freshForMs: number;
  readonly keptForMs: number;
  /** How long asking took. */
  readonly costMs: number;
  /** Of the value as JSON. */
  readonly sizeBytes: number;
  readonly private: boolean;
  /** Files it depends on; a change of one of them makes it unusable. */
  readonly files: readonly string[];
  readonly value: Json;
}

/** What would become of one step in a launch from here and now. */
export interface InspectedStep {
  /** `plugin/step`, with `[item]` where the step has items. */
  readonly step: string;
  readonly kind: 'lookup' | 'check' | 'secret' | 'action';
  readonly barrier: NeededBy;
  readonly limitMs: number;
  readonly fate: StepFate;
}

export type StepFate =
  /** Its stored answer is used; a stale one is refreshed behind. */
  | {
      readonly kind: 'stored';
      readonly state: 'fresh' | 'stale';
      readonly ageMs: number;
      readonly costMs: number;
    }
  /** It is asked: nothing usable is stored, or its kind is never stored. */
  | {readonly kind: 'asked'; readonly why: string}
  /** It is put off until this happens, in words. */
  | {readonly kind: 'put-off'; readonly until: string}
  /** It failed lately and is not asked again yet. */
  | {readonly kind: 'resting'; readonly why: string /** ISO 8601 */; readonly until: string}
  /** The step itself says that this launch does not need it. */
  | {readonly kind: 'not-needed'}
  | {readonly kind: 'not-used'; readonly runtime: string}
  | {readonly kind: 'left-out'}
  /** Its plugin fails already at saying what it would ask. */
  | {readonly kind: 'broken'; readonly why: string};

/** What a launch from here and now would do. */
export interface InspectedLaunch {
  readonly verb: string;
  readonly runtime: string;
  readonly cwd: string;
  readonly steps: readonly InspectedStep[];
  /** Plugins that cannot be used, and what is wrong with the configuration file. */
  readonly faults: readonly string[];
}

/** What became of one answer that was asked for anew. */
export type Refreshed = {readonly step: string; readonly tookMs: number} & (
  | {readonly ok: true}
  | {readonly ok: false; readonly reason: string; readonly detail: string}
);

/** One thing that `doctor` says. */
export interface DoctorFinding extends Finding {
  /** What part of the whole it belongs to; a plugin's name for what the plugin says. */
  readonly area: string;
}
