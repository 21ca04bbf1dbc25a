import type {LaunchProfile} from '../profile/launch-profile.js';
import {type WaterfallRow, waterfallEnd, waterfallRows} from '../profile/waterfall.js';
import {place, tickLabel, ticksOf} from './chart-scale.js';
import {duration} from './duration.js';
import {markup, shortMarkup} from './markup.js';
import {endpointWords, localTime, outcomeWords, targetWords} from './profile-words.js';
import {chartColours} from './report-style.js';

/** Sizes in units of the drawing. */
const left = 260;
const plot = 560;
const right = 180;
const rowHeight = 22;
const top = 92;
const width = left + plot + right;

/** `profile --format svg`: a launch's waterfall as one drawing that asks for nothing outside of itself. */
export const profileSvg = (profile: LaunchProfile): string => {
  const rows = waterfallRows(profile);
  const {whole, close} = waterfallEnd(profile);
  const end = close ?? whole;
  const height = top + (rows.length + 1) * rowHeight + 34;
  const title = `${targetWords(profile)}: ${duration(profile.totalMs)}, ${endpointWords(profile)}`;
  const x = (moment: number): number => left + (Math.min(Math.max(moment, 0), end) / (end || 1)) * plot;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title about">`,
    `<title id="title">${markup(title)}</title>`,
    `<desc id="about">${markup(rows.map(rowWords).join('; '))}</desc>`,
    `<style>${chartColours}${style}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<text class="head" x="16" y="30">${shortMarkup(title, 100)}</text>`,
    `<text class="quiet" x="16" y="50">${shortMarkup(aboutText(profile, close), 140)}</text>`,
    ...gridLines(end, x, height),
    ...pathBlocks(profile, x),
    ...rows.flatMap((row, index) => rowShapes(row, top + (index + 1) * rowHeight, x, end)),
    `<text class="quiet" x="16" y="${height - 12}">Red: the critical path. Phases follow one another; steps and spans overlap and are never to be added.</text>`,
    '</svg>',
  ].join('\n');
};

const style =
  'text{font:13px system-ui,sans-serif;fill:var(--ink)}.page{fill:var(--paper)}.head{font-size:17px;font-weight:600}' +
  '.quiet{fill:var(--quiet);font-size:12px}.value{text-anchor:end;font-variant-numeric:tabular-nums}.tick{text-anchor:middle}' +
  '.grid{stroke:var(--line)}.strong{font-weight:600}';

const aboutText = (profile: LaunchProfile, close: number | null): string =>
  [
    `launch ${profile.id}`,
    localTime(profile.at),
    outcomeWords(profile.outcome),
    ...(profile.readyMs === null ? [] : [`ready after ${duration(profile.readyMs)}`]),
    ...(close === null ? [] : ['shown until just after ready']),
  ].join(' · ');

const gridLines = (end: number, x: (moment: number) => number, height: number): readonly string[] =>
  ticksOf(end, 6).flatMap((tick) => [
    `<path class="grid" d="M${place(x(tick))} ${top - 8}V${height - 30}"/>`,
    `<text class="quiet tick" x="${place(x(tick))}" y="${top - 14}">${tickLabel(tick, end)}</text>`,
  ]);

const pathBlocks = (profile: LaunchProfile, x: (moment: number) => number): readonly string[] => [
  `<text class="strong" x="16" y="${top + 15}">critical path</text>`,
  ...profile.criticalPath.map(({name, fromMs, durationMs}) => {
    const from = x(fromMs);
    const length = Math.max(1, x(fromMs + durationMs) - from - 1);
    return `<rect class="path" x="${place(from)}" y="${top + 3}" width="${place(length)}" height="15" rx="2"><title>${markup(name)}, ${duration(durationMs)}</title></rect>`;
  }),
];

const rowShapes = (row: WaterfallRow, y: number, x: (moment: number) => number, end: number): readonly string[] => {
  const isInner = row.kind === 'span' || row.kind === 'part';
  const from = x(row.fromMs);
  const value = row.durationMs === null ? `at ${duration(row.fromMs)}` : duration(row.durationMs);
  return [
    `<g><title>${markup(rowWords(row))}</title>`,
    `<text class="${isInner ? 'quiet' : 'strong'}" x="${isInner ? 32 : 16}" y="${y + 15}">${shortMarkup(row.name, isInner ? 31 : 33)}</text>`,
    row.durationMs === null
      ? `<path class="milestone" d="M${place(from)} ${y + 3}l6 8l-6 8l-6 -8z"/>`
      : barShape(row, y, from, x(row.fromMs + row.durationMs)),
    `<text class="value" x="${width - 16}" y="${y + 15}">${value}${row.durationMs !== null && row.fromMs + row.durationMs > end ? ' →' : ''}</text>`,
    '</g>',
  ];
};

const barShape = (row: WaterfallRow, y: number, from: number, to: number): string => {
  const isInner = row.kind === 'span' || row.kind === 'part';
  const size = `x="${place(from)}" width="${place(Math.max(1.5, to - from))}"`;
  const bar = `<rect class="${barClass(row)}" ${size} y="${isInner ? y + 6 : y + 3}" height="${isInner ? 9 : 15}" rx="2"/>`;
  return row.onCriticalPath ? `${bar}<rect class="path" ${size} y="${y + 19}" height="2"/>` : bar;
};

/** Phases have colours of their own, which their spans share in a lighter shade; names come from a fixed list. */
export const barClass = ({kind, phase}: WaterfallRow): string =>
  `bar ${kind} ${phase === null ? 'step-colour' : `in-${phase}`}`;

/** A row in words, for whoever does not see the bar. */
export const rowWords = (row: WaterfallRow): string =>
  [
    `${row.kind} ${row.name}`,
    row.durationMs === null
      ? `at ${duration(row.fromMs)}`
      : `from ${duration(row.fromMs)}, ${duration(row.durationMs)}`,
    ...(row.remark === '' ? [] : [row.remark]),
    ...(row.onCriticalPath ? ['on the critical path'] : []),
  ].join(', ');
