import type {BenchPlan, Variant} from './bench-plan.js';
import {drawOrder} from './order.js';
import {seededRandom} from './random.js';
import type {BenchRun} from './result.js';
import {runOnce} from './run-once.js';

/** How far a bench is. */
export interface BenchProgress {
  /** Runs that are over, warm-ups among them, and how many there will be. */
  readonly done: number;
  readonly total: number;
  readonly variant: string;
  /** 0 during the warm-up. */
  readonly round: number;
  /** Milliseconds still to go, from the runs so far; undefined before the first is over. */
  readonly leftMs: number | undefined;
}

export interface BenchHooks {
  readonly onProgress: (progress: BenchProgress) => void;
  /** After each run, so that what there is survives whatever comes. */
  readonly onRun: (runs: readonly BenchRun[]) => void;
  readonly interrupted: AbortSignal;
}

/** The order of a plan's rounds; the same for the same seed. */
export const orderOf = ({variants, rounds, seed}: BenchPlan): readonly (readonly string[])[] =>
  drawOrder(
    variants.map(({name}) => name),
    rounds,
    seededRandom(seed),
  );

/** Runs every variant once in each round, warm-ups first. Ends early when interrupted, with the runs that were whole. */
export const runBench = async (plan: BenchPlan, hooks: BenchHooks): Promise<readonly BenchRun[]> => {
  const byName = new Map(plan.variants.map((variant) => [variant.name, variant]));
  const warmups = Array.from({length: plan.warmups}, () => plan.variants.map(({name}) => name));
  const rounds = [
    ...warmups.map((names) => ({round: 0, names})),
    ...orderOf(plan).map((names, index) => ({round: index + 1, names})),
  ];
  const total = plan.variants.length * rounds.length;
  const runs: BenchRun[] = [];
  const beganAt = performance.now();
  for (const {round, names} of rounds) {
    for (const [place, name] of names.entries()) {
      const done = runs.length;
      const leftMs = done === 0 ? undefined : ((performance.now() - beganAt) / done) * (total - done);
      hooks.onProgress({done, total, variant: name, round, leftMs});
      const run = await runOnce(plan, byName.get(name) as Variant, {round, place}, hooks.interrupted);
      if (run === undefined || hooks.interrupted.aborted) return runs;
      runs.push(run);
      hooks.onRun(runs);
    }
  }
  return runs;
};
