import {done, failed, type Result} from '../model/failure.js';
import {hostDifferences} from './host.js';
import {makeReport} from './make-report.js';
import type {BenchResult} from './result.js';
import type {Summary} from './statistics.js';

/** A figure of a variant in two benches. */
export interface ComparedFigure {
  readonly figure: string;
  readonly variant: string;
  readonly before: Summary;
  readonly after: Summary;
  /** Of the medians; null where one is missing or zero. */
  readonly share: number | null;
  /** The same of the ratio to each bench's own base: what the host did to both is taken out. Null for the base. */
  readonly shareOfBase: number | null;
}

export interface BenchComparison {
  readonly before: string;
  readonly after: string;
  readonly figures: readonly ComparedFigure[];
  /** Reasons to run the base again before anything is made of this. */
  readonly warnings: readonly string[];
}

/** A base that has moved by more than this is another base. Amethyst's replaced host was 10 to 15 % slower. */
const drift = 0.05;

/** Two benches of one host, figure by figure; refused for two hosts. */
export const compareBenches = (before: BenchResult, after: BenchResult): Result<BenchComparison> => {
  if (before.host.id !== after.host.id) {
    return failed({reason: 'other-host', differences: hostDifferences(before.host, after.host)});
  }
  const [one, other] = [before, after].map((result) => summaries(result));
  const figures = [...(one ?? [])].flatMap(([key, {figure, variant, summary}]): readonly ComparedFigure[] => {
    const later = other?.get(key)?.summary;
    if (later === undefined) return [];
    const share = change(summary.median, later.median);
    const bases = [one?.get(keyOf(figure, before.base)), other?.get(keyOf(figure, after.base))].map(
      (base) => base?.summary.median ?? null,
    );
    const isBase = variant === before.base;
    const shareOfBase = isBase
      ? null
      : change(ratio(summary.median, bases[0] ?? null), ratio(later.median, bases[1] ?? null));
    return [{figure, variant, before: summary, after: later, share, shareOfBase}];
  });
  return done({before: before.id, after: after.id, figures, warnings: warningsOf(before, after, figures)});
};

const keyOf = (figure: string, variant: string): string => `${variant}\t${figure}`;

const summaries = (
  result: BenchResult,
): ReadonlyMap<string, {readonly figure: string; readonly variant: string; readonly summary: Summary}> =>
  new Map(
    makeReport(result).rows.flatMap(({name, cells}) =>
      cells.map(({variant, summary}) => [keyOf(name, variant), {figure: name, variant, summary}] as const),
    ),
  );

const ratio = (value: number | null, base: number | null): number | null =>
  value === null || base === null || base === 0 ? null : value / base;

const change = (before: number | null, after: number | null): number | null => {
  const share = ratio(after, before);
  return share === null ? null : share - 1;
};

const percent = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;

const warningsOf = (before: BenchResult, after: BenchResult, figures: readonly ComparedFigure[]): readonly string[] => {
  const speed = change(before.host.calibrationMs, after.host.calibrationMs) ?? 0;
  const base = figures.find(({variant, figure}) => variant === before.base && figure === before.endpoint);
  return [
    ...(before.endpoint === after.endpoint ? [] : [`The endpoints differ: ${before.endpoint} and ${after.endpoint}.`]),
    ...(before.build === after.build
      ? []
      : [`bootcut itself is of another build: ${before.build} and ${after.build}.`]),
    ...(Math.abs(speed) <= drift
      ? []
      : [`The host took ${percent(speed)} for one and the same work: take a new base line.`]),
    ...(base?.share == null || Math.abs(base.share) <= drift
      ? []
      : [`The base itself moved by ${percent(base.share)}: only ratios to the base mean anything.`]),
  ];
};
