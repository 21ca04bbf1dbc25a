import type {FarMark, MarkGap} from './report.js';
import type {BenchResult, BenchRun, RunMilestone} from './result.js';
import {outliers, summarize} from './statistics.js';

/** Two clocks that look at one moment may differ by this much and agree: a fifth, and a tenth of a second. */
const agreeShare = 0.2;
const agreeMs = 100;

/**
 * By how much the moments that a target tells of itself differ from the same ones seen from outside. A probe may see a
 * shell seconds after the program says that it shows one (Amethyst's did in two of eight boots): both are kept.
 */
export const markGapsOf = ({variants, runs}: BenchResult): readonly MarkGap[] => {
  const counted = runs.filter(({state, round}) => state === 'ok' && round > 0);
  return variants.flatMap(({name}) =>
    gapsOf(
      name,
      counted.filter((run) => run.variant === name),
    ),
  );
};

const gapsOf = (variant: string, runs: readonly BenchRun[]): readonly MarkGap[] => {
  const pairs = runs.flatMap((run) => pairsIn(run));
  const names = [...new Set(pairs.map((pair) => pair.name))];
  return names.map((name) => {
    const own = pairs.filter((pair) => pair.name === name);
    const gaps = own.map(({outside, target}) => outside - target);
    return {
      variant,
      name,
      gap: summarize(gaps),
      outliers: outliers(gaps),
      far: own.filter(isFar).map(({round, target, outside}) => ({round, target, outside})),
    };
  });
};

interface Pair extends FarMark {
  readonly name: string;
}

const pairsIn = ({round, milestones}: BenchRun): readonly Pair[] => {
  const at = (name: string, source: RunMilestone['source']): number | undefined =>
    milestones.find((one) => one.name === name && one.source === source)?.at;
  return [...new Set(milestones.map(({name}) => name))].flatMap((name) => {
    const [target, outside] = [at(name, 'target'), at(name, 'outside')];
    return target === undefined || outside === undefined ? [] : [{name, round, target, outside}];
  });
};

const isFar = ({target, outside}: Pair): boolean => {
  const apart = Math.abs(outside - target);
  return apart > agreeMs && apart > agreeShare * Math.max(outside, target);
};
