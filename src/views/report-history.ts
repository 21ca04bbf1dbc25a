import type {MetricHistory} from '../profile/launch-history.js';
import type {Report} from '../profile/report.js';
import {quantileOf} from '../profile/statistics.js';
import {place, tickLabel, ticksOf} from './chart-scale.js';
import {duration} from './duration.js';
import {changeWords, differenceWords} from './history-words.js';
import {markup} from './markup.js';
import {localTime} from './profile-words.js';

/** Launches over time: each a dot, levels as lines, changes in words, and everything again as a table. */
export const reportHistory = ({history, launch}: Report): string => {
  const changes = history.metrics.flatMap(({metric, changes: found}) =>
    found.map((change) => ({text: changeWords(metric, change), change})),
  );
  const said =
    changes.length === 0
      ? '<p>No lasting change found.</p>'
      : `<ul class="changes">${changes
          .map(
            ({text, change}) =>
              `<li><strong>${markup(text)}</strong> <span class="quiet">(${duration(change.beforeMs)} → ${duration(change.afterMs)}, from launch ${change.launch.slice(-6)} on, ${localTime(change.at)})</span></li>`,
          )
          .join('')}</ul>`;
  return `<p>${history.launches} ${launch.temperature} launches of this target, newest last, of ${history.onRecord.toLocaleString('en-US')} on record. Those that never started or were lost are left out.</p>
${said}${history.metrics.map(metricChart).join('')}
${levelTable(history.metrics)}
<p class="quiet">A change is a place where the ranks of the times before and behind differ beyond chance (rank test at every place, corrected for their number, 1 false alarm in 1,000 histories), at least 5 % and 1 ms. What changed together with it may not be its cause.</p>`;
};

const width = 1060;
const height = 150;
const left = 64;
const bottom = 24;

const metricChart = ({metric, values, levels, changes, all}: MetricHistory): string => {
  if (all === null) return '';
  const sorted = values.map(({ms}) => ms).sort((a, b) => a - b);
  // One wild launch must not flatten all others: what lies beyond is drawn at the edge as a triangle.
  const top = Math.min(all.mostMs * 1.05, Math.max(quantileOf(sorted, 0.98) * 1.25, all.medianMs * 1.2)) || 1;
  const ticks = axisTicks(all.leastMs, top);
  const base = ticks[0] ?? 0;
  const x = (index: number): number => left + ((index + 0.5) / values.length) * (width - left - 8);
  const y = (ms: number): number =>
    height - bottom - ((Math.min(ms, top) - base) / (top - base)) * (height - bottom - 14);
  const position = new Map(values.map(({launch}, index) => [launch, index]));
  const at = (launch: string): number => position.get(launch) ?? 0;
  return `<h3>${metric}</h3><figure><svg class="wide" viewBox="0 0 ${width} ${height}" role="img" aria-label="${markup(summary(metric, levels.length, all))}">
${ticks
  .map(
    (tick) =>
      `<path class="grid" d="M${left} ${place(y(tick))}H${width}"/><text x="${left - 8}" y="${place(y(tick) + 4)}" text-anchor="end">${tickLabel(tick, top)}</text>`,
  )
  .join('')}
${values.map(({ms}, index) => (ms > top ? `<path class="dot" d="M${place(x(index))} 4l4 7h-8z"/>` : `<circle class="dot" cx="${place(x(index))}" cy="${place(y(ms))}" r="2.6"/>`)).join('')}
${levels
  .map((level, index) => {
    const from = x(at(level.firstLaunch) - 0.5);
    const next = levels[index + 1];
    return `<path class="level" d="M${place(from)} ${place(y(level.medianMs))}H${place(next === undefined ? width - 8 : x(at(next.firstLaunch) - 0.5))}"/>`;
  })
  .join('')}
${changes
  .map((change) => {
    const where = x(at(change.launch) - 0.5);
    const isLate = where > width * 0.7;
    return `<path class="change" d="M${place(where)} 4V${height - bottom}"/><text class="change-text" x="${place(where + (isLate ? -6 : 6))}" y="14"${isLate ? ' text-anchor="end"' : ''}>${markup(differenceWords(change.differenceMs))}</text>`;
  })
  .join('')}
<text x="${left}" y="${height - 6}">${markup(localTime(values[0]?.at ?? ''))}</text><text x="${width - 8}" y="${height - 6}" text-anchor="end">${markup(localTime(values.at(-1)?.at ?? ''))}</text>
</svg></figure>`;
};

/** From zero, or, where nothing comes near it, from a round value below the least: the axis says so. */
const axisTicks = (least: number, top: number): readonly number[] => {
  if (least < top / 2) return ticksOf(top, 4);
  const all = ticksOf(top, Math.min(40, Math.ceil((4 * top) / (top - least * 0.97))));
  const first = all.findLastIndex((tick) => tick <= least);
  return all.slice(Math.max(0, first));
};

const summary = (metric: string, levels: number, all: NonNullable<MetricHistory['all']>): string =>
  `${metric} over ${all.n} launches: median ${duration(all.medianMs)}, ${duration(all.leastMs)} to ${duration(all.mostMs)}, ${levels} ${levels === 1 ? 'level' : 'levels'}; the table below has them`;

const levelTable = (metrics: readonly MetricHistory[]): string =>
  `<details><summary>The levels as a table</summary><div class="scroll" role="region" tabindex="0" aria-label="Levels"><table>
<thead><tr><th scope="col">metric</th><th scope="col">from launch</th><th scope="col">since</th><th class="figure" scope="col">launches</th><th class="figure" scope="col">median</th><th class="figure" scope="col">least</th><th class="figure" scope="col">most</th></tr></thead><tbody>
${metrics
  .flatMap(({metric, levels}) =>
    levels.map(
      (level) =>
        `<tr><th scope="row">${metric}</th><td>${level.firstLaunch.slice(-6)}</td><td>${markup(localTime(level.firstAt))}</td><td class="figure">${level.n}</td><td class="figure">${duration(level.medianMs)}</td><td class="figure">${duration(level.leastMs)}</td><td class="figure">${duration(level.mostMs)}</td></tr>`,
    ),
  )
  .join('\n')}
</tbody></table></div></details>`;
