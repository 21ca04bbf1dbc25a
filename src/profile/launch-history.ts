import {toMicro} from '../model/units.js';
import {changePoints} from './change-points.js';
import {type LaunchRow, type MetricName, metricOf} from './launch-row.js';
import {type Spread, spreadOf} from './statistics.js';

/** How one metric went over launches, oldest first. */
export interface MetricHistory {
  readonly metric: MetricName;
  readonly all: Spread | null;
  /** Stretches of launches between changes. */
  readonly levels: readonly Level[];
  readonly changes: readonly Change[];
  readonly values: readonly {readonly launch: string; readonly at: string; readonly ms: number}[];
}

export interface Level extends Spread {
  readonly firstLaunch: string;
  readonly firstAt: string;
}

export interface Change {
  /** The first launch of the new level, as well as it can be told: a launch or two off is possible. */
  readonly launch: string;
  readonly at: string;
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly differenceMs: number;
  /** What else changed there. That it came together does not prove that it is the cause. */
  readonly since:
    | {readonly kind: 'runtime-version'; readonly runtime: string; readonly from: string; readonly to: string}
    | {readonly kind: 'build'; readonly from: string; readonly to: string}
    | null;
}

/** How far, in launches, another version may be from where the figures change. */
const nearby = 3;

/** `rows` oldest first. Launches that never started or were lost say nothing about time and must have been left out. */
export const historyOf = (rows: readonly LaunchRow[], metric: MetricName): MetricHistory => {
  const having = rows.filter((row) => metricOf(row, metric) !== null);
  const times = having.map((row) => metricOf(row, metric) ?? 0);
  const found = changePoints(times);
  const edges = [0, ...found.map(({at}) => at), having.length];
  return {
    metric,
    all: spreadOf(times) ?? null,
    levels: edges.slice(1).flatMap((edge, index) => {
      const from = edges[index] ?? 0;
      const spread = spreadOf(times.slice(from, edge));
      const first = having[from];
      return spread === undefined || first === undefined
        ? []
        : [{...spread, firstLaunch: first.id, firstAt: isoTime(first)}];
    }),
    changes: found.flatMap(({at, beforeMs, afterMs}) => {
      const first = having[at];
      if (first === undefined) return [];
      const differenceMs = toMicro(afterMs - beforeMs);
      return [{launch: first.id, at: isoTime(first), beforeMs, afterMs, differenceMs, since: sinceWhat(having, at)}];
    }),
    values: having.map((row, index) => ({launch: row.id, at: isoTime(row), ms: times[index] ?? 0})),
  };
};

const isoTime = (row: LaunchRow): string => new Date(row.at).toISOString();

const sinceWhat = (rows: readonly LaunchRow[], at: number): Change['since'] => {
  const version = switchNear(rows, at, (row) => row.runtimeVersion);
  if (version !== undefined) return {kind: 'runtime-version', runtime: rows[at]?.runtime ?? '', ...version};
  const build = switchNear(rows, at, (row) => row.build);
  return build === undefined ? null : {kind: 'build', ...build};
};

/** The switch from one known text to another that is nearest to a place. */
const switchNear = (
  rows: readonly LaunchRow[],
  at: number,
  textOf: (row: LaunchRow) => string,
): {readonly from: string; readonly to: string} | undefined => {
  for (let distance = 0; distance <= nearby; distance += 1) {
    for (const place of [at - distance, at + distance]) {
      const [before, after] = [rows[place - 1], rows[place]].map((row) => (row === undefined ? '' : textOf(row)));
      if (before && after && before !== after) return {from: before, to: after};
    }
  }
  return undefined;
};
