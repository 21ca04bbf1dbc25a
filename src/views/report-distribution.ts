import type {ComparedMetric, GroupComparison} from '../profile/compare-rows.js';
import {quantileOf} from '../profile/statistics.js';
import {place, tickLabel, ticksOf} from './chart-scale.js';
import {duration} from './duration.js';
import {differenceWords} from './history-words.js';
import {markup} from './markup.js';

const width = 1060;
const left = 64;
const lane = 46;
const height = 2 * lane + 34;

/** Two groups of launches: every launch a dot on one scale, quarters and median over it, and the figures as a table. */
export const reportDistribution = (groups: GroupComparison | null): string => {
  if (groups === null) {
    return '<p>There is only one group of launches on record for this target. Name two with <code>--a</code> and <code>--b</code>, such as <code>--a temperature=warm --b temperature=cold</code>.</p>';
  }
  const {a, b, metrics} = groups;
  return `<p><span class="key a" aria-hidden="true"></span>A: ${markup(a.name)} (${a.n} launches) &#160; <span class="key b" aria-hidden="true"></span>B: ${markup(b.name)} (${b.n} launches)</p>
${metrics.map((metric) => chart(metric)).join('')}
${table(metrics)}
<p class="quiet">The shift is Hodges and Lehmann's: the median of all differences between one of each. These launches were not made in turns, so whatever else changed meanwhile is in it; <code>bootcut bench</code> settles what these can only suggest.</p>`;
};

const chart = (compared: ComparedMetric): string => {
  const {metric, a, b, spreadA, spreadB} = compared;
  const all = [...a, ...b].sort((x, y) => x - y);
  const top = Math.min(all.at(-1) ?? 1, quantileOf(all, 0.98) * 1.15) || 1;
  const x = (ms: number): number => left + (Math.min(ms, top) / top) * (width - left - 24);
  const words = `${metric}: A median ${duration(spreadA.medianMs)}, ${duration(spreadA.leastMs)} to ${duration(spreadA.mostMs)}; B median ${duration(spreadB.medianMs)}, ${duration(spreadB.leastMs)} to ${duration(spreadB.mostMs)}; ${shiftWords(compared)}`;
  return `<h3>${metric} <span class="quiet">${markup(shiftWords(compared))}</span></h3><figure><svg class="wide" viewBox="0 0 ${width} ${height}" role="img" aria-label="${markup(words)}">
${ticksOf(top, 8)
  .map(
    (tick) =>
      `<path class="grid" d="M${place(x(tick))} 4V${2 * lane + 8}"/><text x="${place(x(tick))}" y="${height - 8}" text-anchor="middle">${tickLabel(tick, top)}</text>`,
  )
  .join('')}
${side('A', 'side-a', a, 6, x)}${side('B', 'side-b', b, lane + 8, x)}</svg></figure>`;
};

const side = (name: string, kind: string, values: readonly number[], y: number, x: (ms: number) => number): string => {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((at) => x(quantileOf(sorted, at)));
  const dots = values
    .map(
      (ms, index) =>
        `<circle class="${kind} dots" cx="${place(x(ms))}" cy="${place(y + 8 + scatter(index) * 24)}" r="2.8"/>`,
    )
    .join('');
  return `<text class="strong" x="${left - 26}" y="${y + 24}">${name}</text><rect class="${kind} box" x="${place(low ?? 0)}" y="${y}" width="${place(Math.max(1, (high ?? 0) - (low ?? 0)))}" height="40" rx="4"/>${dots}<path class="median" d="M${place(middle ?? 0)} ${y}v40"/>`;
};

/** Heights that spread evenly however many there are (the golden ratio's fractions), the same at each drawing. */
const scatter = (index: number): number => (index * 0.618_033_988_75) % 1;

const shiftWords = ({shift}: ComparedMetric): string =>
  shift.interval === null
    ? `B ${differenceWords(shift.shiftMs)}: not enough data`
    : `B ${differenceWords(shift.shiftMs)}, 95 % interval ${differenceWords(shift.interval.fromMs)} to ${differenceWords(shift.interval.toMs)}: ${shift.verdict}`;

const table = (metrics: readonly ComparedMetric[]): string =>
  `<details><summary>The distributions as a table</summary><div class="scroll" role="region" tabindex="0" aria-label="Distributions"><table>
<thead><tr><th scope="col">metric</th><th scope="col">group</th><th class="figure" scope="col">launches</th><th class="figure" scope="col">median</th><th class="figure" scope="col">least</th><th class="figure" scope="col">most</th><th scope="col">B against A</th></tr></thead><tbody>
${metrics
  .flatMap((compared) =>
    [
      {name: 'A', spread: compared.spreadA, words: ''},
      {name: 'B', spread: compared.spreadB, words: shiftWords(compared)},
    ].map(
      ({name, spread, words}) =>
        `<tr><th scope="row">${compared.metric}</th><td>${name}</td><td class="figure">${spread.n}</td><td class="figure">${duration(spread.medianMs)}</td><td class="figure">${duration(spread.leastMs)}</td><td class="figure">${duration(spread.mostMs)}</td><td>${markup(words)}</td></tr>`,
    ),
  )
  .join('\n')}
</tbody></table></div></details>`;
