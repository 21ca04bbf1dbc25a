import {type Moment, toMicro} from '../model/units.js';
import {told} from '../readiness/poll.js';
import type {TimelineLine} from '../timeline/timeline-file.js';
import type {BenchRun, RunMilestone} from './result.js';

/** What a target reported of itself in one run. */
export interface Reported extends Pick<BenchRun, 'metrics' | 'counts' | 'spans'> {
  /** The first occurrence of each name. */
  readonly milestones: readonly RunMilestone[];
}

/**
 * Timeline lines as figures: the first line of a name is a milestone, its repetitions are counted; `value` or `ms` in its
 * JSON is a number of the target's own, `took` an interval in milliseconds that ended there.
 */
export const reported = (lines: readonly TimelineLine[], startedAt: Moment): Reported => {
  const milestones = new Map<string, RunMilestone>();
  const counts = new Map<string, number>();
  const metrics: Record<string, number> = {};
  const spans: BenchRun['spans'][number][] = [];
  for (const {name, at, isStamped, data} of lines) {
    const since = toMicro(at - startedAt);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const number = numberIn(data, 'value') ?? numberIn(data, 'ms');
    if (number !== undefined) metrics[name] = number;
    const took = numberIn(data, 'took');
    if (took !== undefined && took >= 0) spans.push({name, from: toMicro(since - took), to: since});
    if (!milestones.has(name) && number === undefined && took === undefined) {
      milestones.set(name, {name, at: since, source: 'target', ...(isStamped ? {} : {slack: told()})});
    }
  }
  return {
    milestones: [...milestones.values()],
    metrics,
    counts: Object.fromEntries([...counts].filter(([, count]) => count > 1)),
    spans,
  };
};

const numberIn = (data: Readonly<Record<string, unknown>>, name: string): number | undefined => {
  const value = data[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};
