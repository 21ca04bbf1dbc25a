import type {Prediction} from './register.js';
import type {Attribution, Row} from './report.js';

/** A prediction with what came of it. */
export interface JudgedPrediction extends Prediction {
  /** What was measured; null where the bench has no such figure. */
  readonly found: number | null;
  readonly outcome: 'right' | 'wrong' | 'not measured';
}

/** Sets predictions against results. A figure that does not exist is wrong too, in its own way: it says 'not measured'. */
export const judgePredictions = (
  predictions: readonly Prediction[],
  rows: readonly Row[],
  attribution: readonly Attribution[],
  base: string,
): readonly JudgedPrediction[] =>
  predictions.map((prediction) => {
    const found = measured(prediction, rows, attribution, base);
    if (found === null) return {...prediction, found, outcome: 'not measured'};
    return {...prediction, found, outcome: found >= prediction.from && found <= prediction.to ? 'right' : 'wrong'};
  });

const measured = (
  {of, variant, what}: Prediction,
  rows: readonly Row[],
  attribution: readonly Attribution[],
  base: string,
): number | null => {
  const parts = attribution.find((one) => one.variant === (variant ?? base));
  const part = [...(parts?.parts ?? []), ...(parts?.spans ?? [])].find(({name}) => name === of);
  const cell = rows.find(({name}) => name === of)?.cells.find((one) => one.variant === (variant ?? base));
  switch (what) {
    case 'median':
      return cell?.summary.median ?? part?.ms ?? null;
    case 'difference':
      return cell?.comparison?.difference ?? null;
    case 'share':
      return part?.share ?? null;
  }
};
