import type {ComparedRow, ComparedSide, Comparison} from '../profile/compare-launches.js';
import {figure} from '../profile/figures.js';
import type {Spread} from '../profile/statistics.js';
import {visible} from '../system/visible.js';
import {differenceWords} from './history-words.js';
import {table} from './table.js';

/** `profile diff` as text: a row for each phase and step, bars of both sides on one scale. */
export const diffText = (comparison: Comparison): string => {
  const {a, b, rows, scaleMs, cautions} = comparison;
  const isSingle = a.launches.length === 1 && b.launches.length === 1;
  return [
    [sideLine('A', a), sideLine('B', b)].join('\n'),
    table(
      [
        {head: '', align: 'left'},
        {head: isSingle ? 'A ms' : 'A median', align: 'right'},
        {head: isSingle ? 'B ms' : 'B median', align: 'right'},
        {head: 'difference', align: 'right'},
        ...(isSingle ? [] : ([{head: '95 % interval of the shift', align: 'left'}] as const)),
        {head: `A over B, to ${figure(scaleMs, 0)} ms`, align: 'left'},
      ],
      rows.flatMap((row) => rowCells(row, scaleMs, isSingle)),
    ),
    cautions.map((caution) => `- ${visible(caution)}`).join('\n'),
  ].join('\n\n');
};

const sideLine = (letter: string, side: ComparedSide): string =>
  `${letter}: ${visible(side.name)}, ${side.launches.length} ${side.launches.length === 1 ? 'launch' : 'launches'} (${side.temperatures.join(', ')})${side.leftOut === 0 ? '' : `, ${side.leftOut} left out: not started or lost`}`;

const rowCells = (row: ComparedRow, scale: number, isSingle: boolean): readonly (readonly string[])[] => {
  const name = row.kind === 'step' ? `· ${row.name}` : row.kind === 'milestone' ? `at ${row.name}` : row.name;
  return [
    [
      name,
      milliseconds(row.a),
      milliseconds(row.b),
      row.differenceMs === null ? '' : differenceWords(row.differenceMs),
      ...(isSingle ? [] : [intervalWords(row)]),
      bar(row.a, scale),
    ],
    ['', '', '', '', ...(isSingle ? [] : ['']), bar(row.b, scale)],
  ];
};

const milliseconds = (spread: Spread | null): string => (spread === null ? '–' : figure(spread.medianMs, 3));

const intervalWords = ({shift}: ComparedRow): string => {
  if (shift === null) return '';
  if (shift.interval === null) return shift.verdict;
  return `${differenceWords(shift.interval.fromMs)} to ${differenceWords(shift.interval.toMs)}: ${shift.verdict}`;
};

/** Eighths of a character tell lengths apart that whole ones do not. */
const bar = (spread: Spread | null, scale: number): string => {
  if (spread === null || spread.medianMs === 0 || scale === 0) return '';
  const eighths = Math.max(1, Math.round((spread.medianMs / scale) * barWidth * 8));
  return `${'█'.repeat(Math.floor(eighths / 8))}${['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'].at(eighths % 8)}`;
};

const barWidth = 24;
