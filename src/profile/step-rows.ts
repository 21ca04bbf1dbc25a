import type {StepRecord} from '../model/record.js';
import type {StepRow} from './launch-profile.js';
import {fromMicros, lengthOf, micros, overlapping, stretchOf} from './micros.js';
import {inOrder, spanRows} from './phase-rows.js';

/** The steps of a launch by start, with what each cost and spared. */
export const stepRows = (steps: readonly StepRecord[]): readonly StepRow[] => {
  const overlaps = overlapping(steps.map(stretchOf));
  return inOrder(steps.map((step, index) => stepRow(step, overlaps[index] ?? false)));
};

const stepRow = (step: StepRecord, overlaps: boolean): StepRow => {
  const stretch = stretchOf(step);
  const cost = Math.max(0, micros(step.cost));
  return {
    step: step.step,
    kind: step.kind,
    neededBy: step.barrier === 'none' ? null : step.barrier,
    state: step.state,
    fromMs: fromMicros(stretch.from),
    durationMs: fromMicros(lengthOf(stretch)),
    overlaps,
    costMs: fromMicros(cost),
    sparedMs: fromMicros(wasStored(step) ? Math.max(0, cost - lengthOf(stretch)) : 0),
    ...(step.reason === undefined ? {} : {reason: step.reason}),
    ...(step.detail === undefined ? {} : {detail: step.detail}),
    spans: inOrder(spanRows(step.spans)),
  };
};

const wasStored = ({state}: StepRecord): boolean => state === 'fresh' || state === 'stale';
