import type {Blame} from './blame.js';
import type {GroupComparison} from './compare-rows.js';
import type {MetricHistory} from './launch-history.js';
import type {LaunchProfile} from './launch-profile.js';
import type {StepRoom} from './what-if.js';

/** Everything that the page of `profile --format html` shows. */
export interface Report {
  readonly launch: LaunchProfile;
  readonly blame: Blame;
  readonly room: readonly StepRoom[];
  /** Launches of the same target, runtime and temperature; oldest first. */
  readonly history: {readonly launches: number; readonly onRecord: number; readonly metrics: readonly MetricHistory[]};
  /** Null when there is only one group. */
  readonly groups: GroupComparison | null;
}
