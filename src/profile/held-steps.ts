import type {LaunchRecord, StepRecord} from '../model/record.js';
import {isAwaited} from './awaited.js';
import {micros, type Stretch, stretchOf} from './micros.js';

/** A step whose end its launch's target had to wait for, in whole microseconds. */
export interface HeldStep {
  readonly record: StepRecord;
  readonly stretch: Stretch;
}

/**
 * The time for which a launch was held for answers, and the needed steps that were under way then. Every needed step is
 * waited for, whatever its barrier: no runtime takes a value after its target has started (ARCHITECTURE.md).
 */
export interface Hold extends Stretch {
  readonly steps: readonly HeldStep[];
}

export const holdOf = (record: LaunchRecord): Hold => {
  const steps = record.steps
    .filter((step) => isAwaited(step) && askedStates.includes(step.state))
    .map((step): HeldStep => ({record: step, stretch: stretchOf(step)}));
  const to = Math.max(...steps.map(({stretch}) => stretch.to), planned(record));
  return {from: to - (steps.length === 0 ? 0 : Math.max(0, micros(record.waited))), to, steps};
};

const askedStates: readonly StepRecord['state'][] = ['read', 'failed', 'timed-out', 'deferred', 'fresh'];

/** Where nothing is held: when steps were looked up, which is the last that any of them was heard of. */
const planned = ({steps, spans}: LaunchRecord): number =>
  Math.max(
    0,
    ...steps.filter(isAwaited).map(({from}) => micros(from)),
    ...spans.filter(({name}) => name === 'planning').map(({from}) => micros(from)),
  );
