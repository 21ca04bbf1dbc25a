import type {BenchComparison} from '../bench/compare-benches.js';
import type {Summary} from '../bench/statistics.js';
import {visible} from '../system/visible.js';
import {inUnit, percentOf} from './bench-words.js';
import {table} from './table.js';

/** `bench compare` as text. */
export const benchComparisonText = ({before, after, figures, warnings}: BenchComparison): string =>
  [
    `Bench ${before} against ${after}: no verdict, as the two did not alternate`,
    figures.length === 0
      ? 'They have no variant and figure in common.'
      : table(
          [
            {head: 'figure', align: 'left'},
            {head: 'variant', align: 'left'},
            {head: 'before', align: 'right'},
            {head: 'after', align: 'right'},
            {head: 'change', align: 'right'},
            {head: 'of its base', align: 'right'},
          ],
          figures.map((one) => [
            one.figure,
            one.variant,
            middle(one.before),
            middle(one.after),
            percentOf(one.share),
            one.shareOfBase === null ? '' : percentOf(one.shareOfBase),
          ]),
        ),
    ...(warnings.length === 0 ? [] : [warnings.map((warning) => `- ${visible(warning)}`).join('\n')]),
  ].join('\n\n');

const middle = ({median, min, max, n}: Summary): string =>
  median === null || min === null || max === null
    ? '–'
    : `${inUnit(median, 'metric')} (${inUnit(min, 'metric')} – ${inUnit(max, 'metric')}, n ${n})`;
