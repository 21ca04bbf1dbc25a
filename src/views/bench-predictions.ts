import type {JudgedPrediction} from '../bench/predictions.js';
import {inUnit, percentOf} from './bench-words.js';
import {table} from './table.js';

/** Predictions against results; wrong ones are called wrong. Empty where nothing was registered. */
export const predictionText = (predictions: readonly JudgedPrediction[]): readonly string[] =>
  predictions.length === 0
    ? []
    : [
        'Predictions, as registered before the bench',
        table(
          ['of', 'variant', 'predicted', 'found', 'outcome', 'culprit'].map((head) => ({head, align: 'left' as const})),
          predictions.map((one) => [
            `${one.of}${one.what === 'median' ? '' : ` (${one.what})`}`,
            one.variant ?? '',
            `${value(one, one.from)} to ${value(one, one.to)}`,
            one.found === null ? '–' : value(one, one.found),
            one.outcome,
            one.culprit,
          ]),
        ),
      ];

const value = ({what}: JudgedPrediction, number: number): string =>
  what === 'share' ? percentOf(number).replace('+', '') : inUnit(number, 'milestone');
