import type {MetricHistory} from '../profile/launch-history.js';
import {quantileOf} from '../profile/statistics.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';
import {changeWords} from './history-words.js';
import {localTime} from './profile-words.js';
import {table} from './table.js';

/** `profile history --json`: how launches of one kind went, and since when they go otherwise. */
export interface HistoryJson {
  /** What the launches were picked by. */
  readonly filter: Readonly<Record<string, string>>;
  /** Launches on record altogether. */
  readonly onRecord: number;
  /** Launches that are in the figures. */
  readonly launches: number;
  /** Of those that were picked: never started, or lost. */
  readonly leftOut: number;
  /** Are there more that fit than were looked at? */
  readonly more: boolean;
  readonly metrics: readonly MetricHistory[];
}

/** `profile history` as text: what changed, then each metric's levels and how it went. */
export const historyText = (history: HistoryJson): string => {
  const picked = Object.entries(history.filter)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
  const changes = history.metrics.flatMap((metric) =>
    metric.changes.map(
      (change) =>
        `- ${changeWords(metric.metric, change)} (${duration(change.beforeMs)} → ${duration(change.afterMs)}, from launch ${change.launch.slice(-6)} on, ${localTime(change.at)})`,
    ),
  );
  return [
    `${history.more ? 'the newest ' : ''}${history.launches} launches with ${visible(picked)}, of ${history.onRecord} on record${history.leftOut === 0 ? '' : `; ${history.leftOut} left out: not started or lost`}`,
    changes.length === 0 ? 'No lasting change found.' : changes.join('\n'),
    table(
      [
        {head: 'metric', align: 'left'},
        {head: 'from launch', align: 'left'},
        {head: 'since', align: 'left'},
        {head: 'launches', align: 'right'},
        {head: 'median', align: 'right'},
        {head: 'least', align: 'right'},
        {head: 'most', align: 'right'},
      ],
      history.metrics.flatMap(({metric, levels}) =>
        levels.map((level) => [
          metric,
          level.firstLaunch.slice(-6),
          localTime(level.firstAt),
          String(level.n),
          duration(level.medianMs),
          duration(level.leastMs),
          duration(level.mostMs),
        ]),
      ),
    ),
    history.metrics.map(line).join('\n'),
  ].join('\n\n');
};

const columns = 60;
const blocks = '▁▂▃▄▅▆▇█';

/** Medians of as many neighbours as fit one character, from zero to the most of them. */
const line = ({metric, values}: MetricHistory): string => {
  const size = Math.max(1, Math.ceil(values.length / columns));
  const medians = Array.from({length: Math.ceil(values.length / size)}, (_, index) =>
    quantileOf(
      values
        .slice(index * size, (index + 1) * size)
        .map(({ms}) => ms)
        .sort((a, b) => a - b),
      0.5,
    ),
  );
  const top = Math.max(...medians, 0);
  const shape = medians.map((value) => blocks[top === 0 ? 0 : Math.min(7, Math.floor((value / top) * 8))]).join('');
  return `${metric.padEnd(8)} ${shape} 0 to ${duration(top)}${size === 1 ? '' : `, medians of ${size}`}`;
};
