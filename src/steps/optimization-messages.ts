import type {PlanEdit} from '../model/plan.js';
import type {Milliseconds} from '../model/units.js';
import type {StepRef} from './messages.js';

/** What the other side may know of an optimization. */
export interface OptimizationInfo {
  readonly plugin: string;
  readonly name: string;
  readonly summary: string;
  readonly warmsUp: boolean;
  /** Also before a launch that is expected. */
  readonly warmsAhead: boolean;
  /** It looks at the target of a launch that is learnt from. */
  readonly watches: boolean;
  readonly prepares: boolean;
  /** Of `prepare`. */
  readonly limit: Milliseconds;
}

/** What an optimization can do for a launch, or why it could not say. */
export interface OfferedOptimization {
  readonly ref: StepRef;
  /** Digest of plugin, name and subject. */
  readonly subject: string;
  readonly label: string;
  readonly use?: readonly PlanEdit[];
  readonly prepared?: string;
  readonly learn?: readonly PlanEdit[];
  readonly fault?: string;
}
