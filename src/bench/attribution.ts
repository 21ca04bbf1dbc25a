import type {Attribution, Part} from './report.js';
import type {BenchResult, BenchRun} from './result.js';
import {median} from './statistics.js';

/** Chimera's rule: what is not more than this part of its total is left alone. */
const usualActAbove = 0.2;

/** Where the time of a variant's runs goes, from the start to the endpoint; undefined when no run reached it. */
export const attributionOf = (
  result: BenchResult,
  variant: string,
  actAbove = usualActAbove,
): Attribution | undefined => {
  const runs = result.runs.filter((run) => run.variant === variant && run.round > 0 && run.state === 'ok');
  const total = median(runs.flatMap((run) => momentOf(run, result.endpoint) ?? []));
  if (total === null || total <= 0) return undefined;
  const part = (name: string, lengths: readonly number[]): Part => {
    const ms = median(lengths) ?? 0;
    return {name, ms, share: ms / total};
  };
  const names = milestonesBefore(runs, result.endpoint, total);
  const parts = [...names, result.endpoint].map((name, index, all) => {
    const before = all[index - 1];
    return part(
      `${before ?? 'start'} → ${name}`,
      runs.flatMap((run) => {
        const [from, to] = [before === undefined ? 0 : momentOf(run, before), momentOf(run, name)];
        return from === undefined || to === undefined ? [] : [Math.max(0, to - from)];
      }),
    );
  });
  const spans = spansOf(runs).map(({name, lengths}) => part(name, lengths));
  const items = [...parts, ...spans].sort((one, other) => other.share - one.share);
  return {
    variant,
    total,
    parts,
    spans,
    actAbove,
    actOn: items.filter(({share}) => share > actAbove),
    leave: items.filter(({share}) => share <= actAbove),
  };
};

/** From outside, if it was seen from there. */
const momentOf = (run: BenchRun, name: string): number | undefined =>
  (
    run.milestones.find((one) => one.name === name && one.source === 'outside') ??
    run.milestones.find((one) => one.name === name)
  )?.at;

/** Names that most runs have and whose median lies before the endpoint's, in the order of their medians. */
const milestonesBefore = (runs: readonly BenchRun[], endpoint: string, total: number): readonly string[] => {
  const names = new Set(runs.flatMap(({milestones}) => milestones.map(({name}) => name)));
  names.delete(endpoint);
  return [...names]
    .map((name) => ({name, moments: runs.flatMap((run) => momentOf(run, name) ?? [])}))
    .filter(({moments}) => moments.length * 2 > runs.length && (median(moments) ?? total) < total)
    .sort((one, other) => (median(one.moments) ?? 0) - (median(other.moments) ?? 0))
    .map(({name}) => name);
};

/** Intervals that lie in no longer one of their run, by name; the same name twice in a run is added up. */
const spansOf = (
  runs: readonly BenchRun[],
): readonly {readonly name: string; readonly lengths: readonly number[]}[] => {
  const lengths = new Map<string, number[]>();
  for (const {spans} of runs) {
    const own = new Map<string, number>();
    for (const span of spans) {
      // By its middle: the ends are as exact as the moments at which the lines came.
      const middle = (span.from + span.to) / 2;
      const isInside = spans.some(
        (other) => other.from < middle && middle < other.to && other.to - other.from > span.to - span.from,
      );
      if (!isInside) own.set(span.name, (own.get(span.name) ?? 0) + span.to - span.from);
    }
    for (const [name, length] of own) lengths.set(name, [...(lengths.get(name) ?? []), length]);
  }
  return [...lengths].map(([name, all]) => ({name, lengths: all}));
};
