import type {LaunchRecord, PhaseName} from '../model/record.js';
import type {LaunchId, WallTime} from '../model/units.js';
import {fromMicros, lengthOf, micros} from './micros.js';
import {placePhases} from './phase-rows.js';

export const phaseNames = ['client', 'pre-boot', 'boot', 'run', 'teardown'] as const satisfies readonly PhaseName[];

/**
 * One launch in one row of the index: what groups, histories and searches go by. Times in milliseconds. The texts are as
 * recorded, cut at the number of bytes the index has for them (`record/row-codec.ts`).
 */
export interface LaunchRow {
  readonly id: LaunchId;
  readonly at: WallTime;
  readonly verb: string;
  readonly target: string;
  readonly runtime: string;
  /** Empty where it is not known. */
  readonly runtimeVersion: string;
  readonly build: string;
  readonly front: string;
  readonly via: LaunchRecord['via'];
  readonly temperature: LaunchRecord['temperature'];
  readonly outcome: LaunchRecord['outcome']['kind'];
  /** A check sum of the directory: enough to look for one, not to name it. */
  readonly cwd: number;
  readonly total: number;
  /** Durations in the order of `phaseNames`; as `profile` shows them. */
  readonly phases: readonly number[];
  readonly waited: number;
  /** From the exec of our command until run begins; null where the target never started. */
  readonly ready: number | null;
}

/** A record as its row. */
export const rowOf = (record: LaunchRecord, checkSum: (text: string) => number): LaunchRow => {
  const total = Math.max(0, micros(record.total));
  const placed = placePhases(record, total);
  const lengths = phaseNames.map((wanted) =>
    placed.filter(({name}) => name === wanted).reduce((sum, phase) => sum + lengthOf(phase), 0),
  );
  const run = placed.find(({name}) => name === 'run')?.from ?? total;
  return {
    id: record.id,
    at: record.at,
    verb: record.verb,
    target: record.target,
    runtime: record.runtime,
    runtimeVersion: record.runtimeVersion ?? '',
    build: record.build,
    front: record.front,
    via: record.via,
    temperature: record.temperature,
    outcome: record.outcome.kind,
    cwd: checkSum(record.cwd),
    total: fromMicros(total),
    phases: lengths.map(fromMicros),
    waited: fromMicros(Math.max(0, micros(record.waited))),
    ready: record.outcome.kind === 'not-started' ? null : fromMicros(run),
  };
};

/** What a history or a comparison can be made of: the phases, and what goes across them. */
export const metricNames = ['ready', ...phaseNames, 'waited', 'total'] as const;
export type MetricName = (typeof metricNames)[number];

/** A metric of a row in milliseconds; null where the launch has none. */
export const metricOf = (row: LaunchRow, metric: MetricName): number | null => {
  switch (metric) {
    case 'ready':
      return row.ready;
    case 'waited':
      return row.waited;
    case 'total':
      return row.total;
    default:
      return row.phases[phaseNames.indexOf(metric)] ?? 0;
  }
};
