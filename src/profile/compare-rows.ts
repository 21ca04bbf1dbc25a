import {type LaunchRow, type MetricName, metricOf} from './launch-row.js';
import {type Shift, type Spread, shiftOf, spreadOf} from './statistics.js';

/** Two groups of launches by their rows, with every value, for a picture of how they are spread. */
export interface GroupComparison {
  readonly a: {readonly name: string; readonly n: number};
  readonly b: {readonly name: string; readonly n: number};
  readonly metrics: readonly ComparedMetric[];
}

export interface ComparedMetric {
  readonly metric: MetricName;
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly spreadA: Spread;
  readonly spreadB: Spread;
  readonly shift: Shift;
}

export interface NamedRows {
  readonly name: string;
  readonly rows: readonly LaunchRow[];
}

/** Undefined when a group has no launch that ran. */
export const compareRows = (
  a: NamedRows,
  b: NamedRows,
  metrics: readonly MetricName[],
): GroupComparison | undefined => {
  const sides = [a, b].map(({name, rows}) => ({name, rows: rows.filter(wasRun)}));
  const [left, right] = sides;
  if (left === undefined || right === undefined || left.rows.length === 0 || right.rows.length === 0) return undefined;
  return {
    a: {name: left.name, n: left.rows.length},
    b: {name: right.name, n: right.rows.length},
    metrics: metrics.flatMap((metric) => {
      const [x, y] = [left, right].map(({rows}) => valuesOf(rows, metric));
      const [spreadA, spreadB, shift] = [spreadOf(x ?? []), spreadOf(y ?? []), shiftOf(x ?? [], y ?? [])];
      return spreadA === undefined || spreadB === undefined || shift === undefined
        ? []
        : [{metric, a: x ?? [], b: y ?? [], spreadA, spreadB, shift}];
    }),
  };
};

/** Launches that never started, and those whose end is not known, say nothing about time. */
export const wasRun = ({outcome}: LaunchRow): boolean => outcome === 'exited' || outcome === 'killed';

const valuesOf = (rows: readonly LaunchRow[], metric: MetricName): readonly number[] =>
  rows.map((row) => metricOf(row, metric)).filter((value) => value !== null);
