import {attributionOf} from './attribution.js';
import {markGapsOf} from './mark-gaps.js';
import {judgePredictions} from './predictions.js';
import type {RegisteredText} from './register.js';
import type {BenchReport, Misleading, Row, VariantCount} from './report.js';
import type {BenchResult, BenchRun} from './result.js';
import {rowsOf} from './rows.js';
import {threadUseOf} from './thread-use.js';

/** Everything that a bench says. Pure: the same result gives the same report. */
export const makeReport = (result: BenchResult, registered?: RegisteredText): BenchReport => {
  const rows = rowsOf(result);
  const attribution = result.variants.flatMap(({name}) => attributionOf(result, name, registered?.actAbove) ?? []);
  return {
    result,
    counts: result.variants.map(({name}) => countOf(result, name)),
    ranking: rankingOf(result, rows),
    rows,
    misleading: misleadingIn(rows),
    markGaps: markGapsOf(result),
    attribution,
    threads: threadUseOf(result),
    predictions: judgePredictions(registered?.predictions ?? [], rows, attribution, result.base),
    notOk: result.runs.filter(({state}) => state !== 'ok'),
  };
};

const countOf = (result: BenchResult, variant: string): VariantCount => {
  const own = result.runs.filter((run) => run.variant === variant);
  const measured = (state: BenchRun['state']): number =>
    own.filter((run) => run.round > 0 && run.state === state).length;
  const first = own.find(({round}) => round === 0);
  const firstRun = first?.milestones.find(({name}) => name === result.endpoint)?.at ?? null;
  return {variant, ok: measured('ok'), failed: measured('failed'), unsettled: measured('unsettled'), firstRun};
};

const rankingOf = (result: BenchResult, rows: readonly Row[]): readonly string[] => {
  const endpoint = rows.find(({isEndpoint}) => isEndpoint);
  const middle = (variant: string): number =>
    endpoint?.cells.find((cell) => cell.variant === variant)?.summary.median ?? Number.POSITIVE_INFINITY;
  const names = result.variants.map(({name}) => name);
  return names.sort((one, other) => {
    const [a, b] = [middle(one), middle(other)];
    return a === b ? 0 : a - b;
  });
};

/** Where the endpoint shows no difference, a figure of the target's own that does is no gain, and must not be taken for one. */
const misleadingIn = (rows: readonly Row[]): readonly Misleading[] => {
  const endpoint = rows.find(({isEndpoint}) => isEndpoint);
  const unmoved = (endpoint?.cells ?? []).filter(({comparison}) => comparison?.verdict === 'no difference shown');
  return unmoved.flatMap(({variant}) =>
    rows.flatMap((row): readonly Misleading[] => {
      const comparison = row.cells.find((cell) => cell.variant === variant)?.comparison;
      if (row.source !== 'target' || row.kind === 'count' || row.isEndpoint || comparison === null) return [];
      const verdict = comparison?.verdict;
      if (verdict !== 'faster' && verdict !== 'slower') return [];
      const {share = null, difference = null} = comparison ?? {};
      return [{variant, row: row.name, verdict, share, difference}];
    }),
  );
};
