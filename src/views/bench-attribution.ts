import type {Attribution, BenchReport, Part} from '../bench/report.js';
import {visible} from '../system/visible.js';
import {inUnit, percentOf} from './bench-words.js';
import {table} from './table.js';

/** Where the time goes, and the 20 % rule; empty where there is only one part to speak of. */
export const attributionText = ({attribution}: BenchReport): readonly string[] =>
  attribution.filter(({parts, spans}) => parts.length + spans.length > 1).map(oneVariant);

const oneVariant = ({variant, total, parts, spans, actAbove, actOn, leave}: Attribution): string =>
  [
    `Where the time of ${visible(variant)} goes: ${inUnit(total, 'milestone')} in the median`,
    table(
      [
        {head: 'part', align: 'left'},
        {head: 'median', align: 'right'},
        {head: 'share', align: 'right'},
      ],
      [...parts, ...spans.map((span) => ({...span, name: `· ${span.name} (reported by the target)`}))].map(partCells),
    ),
    actOn.length === 0
      ? `Nothing is above ${percentOf(actAbove).replace('+', '')} of the total: change nothing, this is the base line.`
      : `Act on, if a deferral or a cache mends it without a change of behaviour: ${names(actOn)}.`,
    ...(leave.length === 0 ? [] : [`Left alone: ${names(leave)}.`]),
  ].join('\n\n');

const partCells = ({name, ms, share}: Part): readonly string[] => [
  name,
  inUnit(ms, 'milestone'),
  percentOf(share).replace('+', ''),
];

const names = (parts: readonly Part[]): string =>
  parts.map(({name, share}) => `${visible(name)} (${percentOf(share).replace('+', '')})`).join(', ');
