import type {LaunchProfile} from '../profile/launch-profile.js';
import {type WaterfallRow, waterfallEnd, waterfallRows} from '../profile/waterfall.js';
import {place, tickLabel, ticksOf} from './chart-scale.js';
import {duration} from './duration.js';
import {markup} from './markup.js';
import {barClass} from './profile-svg.js';

/**
 * The waterfall as a table whose cells hold the bars: whoever cannot see them reads the same rows with their times. Where
 * a launch ran on for long, there is a second one until ready.
 */
export const reportWaterfall = (profile: LaunchProfile): string => {
  const {whole, close} = waterfallEnd(profile);
  const charts =
    close === null
      ? [chart(profile, whole, 'The whole launch')]
      : [chart(profile, close, 'Until ready'), chart(profile, whole, 'The whole launch')];
  return `<p><span class="key critical" aria-hidden="true"></span>Red is the critical path: what decided when the target was ready.
Phases follow one another and add up to the total. Steps and spans overlap: never add them.</p>${charts.join('')}${pathTable(profile)}`;
};

const chart = (profile: LaunchProfile, end: number, title: string): string => {
  const rows = waterfallRows(profile);
  const marks = lines(profile, end);
  const group = (name: string, kinds: readonly WaterfallRow['kind'][]): string => {
    const inside = rows.filter(({kind}) => kinds.includes(kind));
    if (inside.length === 0) return '';
    return `<tr class="group"><th colspan="5" scope="rowgroup">${name}</th></tr>${inside.map((row) => tableRow(row, end, marks)).join('\n')}`;
  };
  return `<h3>${title}</h3>
<div class="scroll" role="region" tabindex="0" aria-label="Waterfall: ${title}"><table class="waterfall">
<thead><tr><th class="name" scope="col">what</th><th class="chart" scope="col"><span class="unseen">when</span>${axis(end)}</th><th class="figure start" scope="col">start</th><th class="figure long" scope="col">took</th><th class="more" scope="col">remark</th></tr></thead>
<tbody>
<tr><th scope="row">critical path</th><td class="chart">${drawing(marks + profile.criticalPath.map((segment) => bar('path', segment.fromMs, segment.durationMs, end, 4, 16, segment.name)).join(''))}</td>
<td class="figure">${ms(0)}</td><td class="figure">${ms(profile.criticalPath.reduce((sum, {durationMs}) => sum + durationMs, 0))}</td><td class="more">${profile.criticalPath.length} segments</td></tr>
${group('Phases', ['phase', 'span'])}
${group('Steps, beside one another', ['step', 'part'])}
${group('Milestones', ['milestone'])}
</tbody></table></div>`;
};

const pathTable = ({criticalPath}: LaunchProfile): string =>
  `<details><summary>The critical path as a table</summary><div class="scroll" role="region" tabindex="0" aria-label="Critical path"><table>
<thead><tr><th scope="col">segment</th><th scope="col">kind</th><th scope="col">in</th><th class="figure" scope="col">start</th><th class="figure" scope="col">took</th></tr></thead><tbody>
${criticalPath
  .map(
    ({name, kind, phase, fromMs, durationMs}) =>
      `<tr><th scope="row">${markup(name)}</th><td>${kind}</td><td>${phase}</td><td class="figure">${ms(fromMs)}</td><td class="figure">${ms(durationMs)}</td></tr>`,
  )
  .join('\n')}
</tbody></table></div></details>`;

const ms = (milliseconds: number): string => duration(milliseconds);

const share = (moment: number, end: number): string =>
  `${place((Math.min(Math.max(moment, 0), end) / (end || 1)) * 100)}%`;

const drawing = (shapes: string): string => `<svg aria-hidden="true" focusable="false">${shapes}</svg>`;

const axis = (end: number): string =>
  drawing(
    ticksOf(end * 0.93, 5)
      .map((tick) => `<text x="${share(tick, end)}" y="16">${tickLabel(tick, end)}</text>`)
      .join(''),
  );

/** Grid, ready and milestones, drawn through every row. */
const lines = (profile: LaunchProfile, end: number): string => {
  const line = (kind: string, moment: number): string => {
    const x = share(moment, end);
    return `<line class="${kind}" x1="${x}" x2="${x}" y1="0" y2="24"/>`;
  };
  return [
    ...ticksOf(end * 0.93, 5).map((tick) => line('grid', tick)),
    ...profile.milestones.filter(({atMs}) => atMs <= end).map(({atMs}) => line('mark', atMs)),
    ...(profile.readyMs === null ? [] : [line('ready', profile.readyMs)]),
  ].join('');
};

const bar = (
  kind: string,
  from: number,
  length: number,
  end: number,
  y: number,
  height: number,
  title: string,
): string => {
  const begin = Math.min(Math.max(from, 0), end);
  const wide = Math.max(0, Math.min(from + length, end) - begin);
  // A bar of no width would not be seen: a hair at least, and a gap to the next one.
  return `<rect class="${kind}" x="${share(begin, end)}" y="${y}" width="${place(Math.max(0.25, (wide / (end || 1)) * 100 - 0.12))}%" height="${height}" rx="2"><title>${markup(title)}: ${ms(length)}</title></rect>`;
};

const tableRow = (row: WaterfallRow, end: number, marks: string): string => {
  const isInner = row.kind === 'span' || row.kind === 'part';
  const remark = [...(row.onCriticalPath ? ['critical path'] : []), ...(row.remark === '' ? [] : [row.remark])].join(
    ' · ',
  );
  const name = markup(row.name);
  return `<tr${isInner ? ' class="inner"' : ''}><th scope="row" title="${name}">${name}</th><td class="chart">${drawing(marks + shape(row, end))}</td><td class="figure">${ms(row.fromMs)}</td><td class="figure">${row.durationMs === null ? '' : ms(row.durationMs)}</td><td class="more" title="${markup(remark)}">${markup(remark)}</td></tr>`;
};

const shape = (row: WaterfallRow, end: number): string => {
  if (row.durationMs === null) {
    return row.fromMs > end ? '' : `<circle class="milestone" cx="${share(row.fromMs, end)}" cy="12" r="4.5"/>`;
  }
  if (row.fromMs > end) return `<text x="100%" y="16" text-anchor="end">later →</text>`;
  const isInner = row.kind === 'span' || row.kind === 'part';
  const [y, height] = isInner ? [7, 9] : [4, 15];
  const own = bar(barClass(row), row.fromMs, row.durationMs, end, y, height, row.name);
  return row.onCriticalPath ? own + bar('path', row.fromMs, row.durationMs, end, 20, 3, 'critical path') : own;
};
