import {type Comparison, judge} from './judge.js';
import type {PairedRound} from './paired.js';
import type {Cell, Row, RowKind} from './report.js';
import type {BenchResult, BenchRun, RunMilestone} from './result.js';
import {median, outliers, overlaps, summarize} from './statistics.js';

/** A row before its figures: what it is of, and its value in a run. */
interface Column {
  readonly kind: RowKind;
  readonly name: string;
  readonly source: RunMilestone['source'];
  readonly valueIn: (run: BenchRun) => number | undefined;
}

/** All rows of a bench, the endpoint first, the others by their median in all runs. */
export const rowsOf = (result: BenchResult): readonly Row[] => {
  const runs = result.runs.filter(({round, state}) => round > 0 && state === 'ok');
  const columns = inOrder(columnsOf(runs), runs, result.endpoint);
  const comparisons = new Map(
    result.variants
      .filter(({name}) => name !== result.base)
      .map(({name}) => [name, compared(result, columns, runs, name)]),
  );
  return columns.map((column, index) => {
    const isEndpoint = column.kind === 'milestone' && column.name === result.endpoint && index === 0;
    const base = valuesOf(runs, result.base, column);
    const cells = result.variants.map(({name}): Cell => {
      const values = valuesOf(runs, name, column);
      return {
        variant: name,
        summary: summarize(values),
        outliers: outliers(values),
        comparison: comparisons.get(name)?.[index] ?? null,
        overlaps: name === result.base ? null : overlaps(summarize(values), summarize(base)),
      };
    });
    return {kind: column.kind, name: column.name, source: column.source, isEndpoint, cells, ...slackOf(runs, column)};
  });
};

const valuesOf = (runs: readonly BenchRun[], variant: string, {valueIn}: Column): readonly number[] =>
  runs.flatMap((run) => (run.variant === variant ? (valueIn(run) ?? []) : []));

const columnsOf = (runs: readonly BenchRun[]): readonly Column[] => {
  const columns = new Map<string, Column>();
  const add = (column: Column): void => void columns.set(`${column.kind} ${column.source} ${column.name}`, column);
  for (const run of runs) {
    for (const {name, source} of run.milestones) {
      add({kind: 'milestone', name, source, valueIn: (one) => milestoneIn(one, name, source)?.at});
    }
    for (const name of Object.keys(run.metrics)) {
      add({kind: 'metric', name, source: 'target', valueIn: ({metrics}) => metrics[name]});
    }
    for (const name of Object.keys(run.counts)) {
      // Where a name comes often in one run it comes once or never in another.
      const valueIn = ({counts, milestones}: BenchRun): number =>
        counts[name] ?? (milestones.some((milestone) => milestone.name === name) ? 1 : 0);
      add({kind: 'count', name, source: 'target', valueIn});
    }
    if (run.memoryKiB !== null) {
      add({kind: 'memory', name: 'memory', source: 'outside', valueIn: ({memoryKiB}) => memoryKiB ?? undefined});
    }
  }
  return [...columns.values()];
};

const milestoneIn = (run: BenchRun, name: string, source: RunMilestone['source']): RunMilestone | undefined =>
  run.milestones.find((milestone) => milestone.name === name && milestone.source === source);

const kinds: readonly RowKind[] = ['milestone', 'metric', 'count', 'memory'];

const inOrder = (columns: readonly Column[], runs: readonly BenchRun[], endpoint: string): readonly Column[] => {
  const middle = (column: Column): number => median(runs.flatMap((run) => column.valueIn(run) ?? [])) ?? 0;
  const sorted = [...columns].sort(
    (one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || middle(one) - middle(other),
  );
  // What is seen from outside is the endpoint, where the target has a mark of the same name.
  const candidates = sorted.filter(({kind, name}) => kind === 'milestone' && name === endpoint);
  const first = candidates.find(({source}) => source === 'outside') ?? candidates[0];
  return first === undefined ? sorted : [first, ...sorted.filter((column) => column !== first)];
};

/** A variant against the base, by column. Without an endpoint in any run, nothing is first and nothing is judged. */
const compared = (
  result: BenchResult,
  columns: readonly Column[],
  runs: readonly BenchRun[],
  variant: string,
): readonly Comparison[] => {
  const byRound = new Map(runs.map((run) => [`${run.variant} ${run.round}`, run]));
  const milestones = columns.map((column) => ({
    milestone: column.name,
    rounds: result.order.map((_, index): PairedRound | undefined => {
      const one = byRound.get(`${result.base} ${index + 1}`);
      const other = byRound.get(`${variant} ${index + 1}`);
      if (one === undefined || other === undefined) return undefined;
      const [base, own] = [column.valueIn(one), column.valueIn(other)];
      if (base === undefined || own === undefined) return undefined;
      return {base, variant: own, variantFirst: other.place < one.place};
    }),
  }));
  return judge(milestones, result.variants.length - 1, result.seed);
};

const slackOf = (runs: readonly BenchRun[], {kind, name, source}: Column): Pick<Row, 'slackMs' | 'slackBy'> => {
  const slacks = runs.flatMap((run) => (kind === 'milestone' ? (milestoneIn(run, name, source)?.slack ?? []) : []));
  if (slacks.length === 0) return {slackMs: null, slackBy: null};
  const polled = slacks.some(({by}) => by === 'polled');
  return {slackMs: Math.max(...slacks.map(({mostMs}) => mostMs)), slackBy: polled ? 'polled' : 'event'};
};
