/* The documents' comparisons at full length through the real pipeline: scripted targets that sleep the documents' times. */
import type {BenchReport, Cell} from '../src/bench/report.js';
import type {WrittenPlan} from '../src/bench/written-plan.js';
import {benched, cellOf} from '../test/unit/bench/benched.js';
import {
  accountLoaded,
  appCds,
  boundToHealthy,
  kernels,
  kernelTable,
  shellVisible,
  triedAndDropped,
} from '../test/unit/bench/documents.js';
import {type Figure, publish, seed} from './lib/bench.js';

/** 1: the documents' own times, six minutes in all. */
const scale = Number(process.env['BENCH_SCALE'] ?? 1);

const figures: Figure[] = [];
const samples: Record<string, readonly number[]> = {};

/** Runs one comparison and keeps its raw values at the endpoint. */
const run = async (title: string, plan: WrittenPlan): Promise<BenchReport> => {
  const report = await benched({...plan, seed});
  const {result} = report;
  for (const {name} of result.variants) {
    samples[`${title}: ${name}`] = result.runs
      .filter((one) => one.variant === name && one.state === 'ok')
      .flatMap(({milestones}) => milestones.find((one) => one.name === result.endpoint)?.at ?? []);
  }
  return report;
};

const note = (what: string, value: string, goal: string, met: boolean): void =>
  void figures.push({what, value, goal, met});

const medianOf = ({summary}: Cell): string => `${Math.round(summary.median ?? Number.NaN)} ms`;
const signed = (ms: number | null | undefined): string =>
  `${(ms ?? 0) > 0 ? '+' : ''}${Math.round(ms ?? Number.NaN)} ms`;

const loaded = await run('account loaded', accountLoaded(scale));
const after = cellOf(loaded, 'account loaded', 'after');
note(
  'A4, account loaded 1751 → 1418 ms',
  `${medianOf(cellOf(loaded, 'account loaded', 'before'))} → ${medianOf(after)}, ${after.comparison?.verdict ?? ''}, ranges ${after.overlaps === false ? 'do not overlap' : 'overlap'}`,
  'faster, no overlap',
  after.overlaps === false && after.comparison?.verdict === 'faster',
);

const cds = await run('settled, AppCDS', appCds(scale));
for (const [name, documented] of [
  ['settled', '5631 → 3377'],
  ['first frame', '3474 → 952'],
  ['relays connected', '2044 → 1517'],
] as const) {
  const cell = cellOf(cds, name, 'AppCDS');
  const change = `${medianOf(cellOf(cds, name, 'main'))} → ${medianOf(cell)}`;
  note(
    `A5, ${name} ${documented} ms`,
    `${change}, ${cell.comparison?.verdict ?? ''}`,
    'faster',
    cell.comparison?.verdict === 'faster',
  );
}

const dropped = await run('tried and dropped', triedAndDropped(scale));
const without = cellOf(dropped, 'settled', 'without');
note(
  'A9, settled 4201 against 4212 ms',
  `${medianOf(cellOf(dropped, 'settled', 'with'))} against ${medianOf(without)}, ${without.comparison?.verdict ?? ''}`,
  'no difference shown',
  without.comparison?.verdict === 'no difference shown',
);

const visible = await run('shell visible from outside', shellVisible(scale));
const gap = visible.markGaps.find(({variant}) => variant === 'after');
const outside = cellOf(visible, 'visible', 'after');
note(
  'A7, shell visible 8837 → 4483 ms, marks 2.5 to 2.9 s early in two boots',
  `${medianOf(cellOf(visible, 'visible', 'before'))} → ${medianOf(outside)}; far from the others ${outside.outliers.map(Math.round).join(', ')}; disagreements ${gap?.far.map((one) => `${Math.round(one.target)} / ${Math.round(one.outside)}`).join(', ') ?? ''}`,
  'faster, 2 outliers, 2 disagreements',
  outside.comparison?.verdict === 'faster' && outside.outliers.length === 2 && gap?.far.length === 2,
);

const table = await run('create', kernels(scale));
for (const name of ['+KVM', 'legacy netfilter', 'full', 'deferred init'] as const) {
  const documented = (kernelTable[name][0] - kernelTable.stock[0]) * scale;
  const {comparison, summary} = cellOf(table, 'exit', name);
  const apart = Math.abs((comparison?.difference ?? Number.NaN) - documented);
  note(
    `V15, create of ${name} against stock: ${signed(documented)}`,
    `${signed(comparison?.difference)} (mean ${Math.round(summary.mean ?? Number.NaN)} ± ${Math.round(summary.sd ?? Number.NaN)}), ${comparison?.verdict ?? ''}`,
    'within 45 ms of it',
    apart <= 45 * scale,
  );
}

const healthy = await run('healthy', boundToHealthy(scale));
const [before] = healthy.attribution;
const words = (parts: readonly {readonly name: string; readonly share: number}[] | undefined): string =>
  parts?.map(({name, share}) => `${name} ${Math.round(share * 100)} %`).join(', ') ?? '';
note(
  'C7, where 1.55 s go: 34 % between bound and healthy, imports of 15 %, a poll of 8 %',
  `act on ${words(before?.actOn)}; left alone ${words(before?.leave)}`,
  'act on bound → healthy alone',
  before?.actOn.length === 1 && before.actOn[0]?.name === 'bound → healthy',
);

publish({
  name: 'replay',
  title: 'the documents’ comparisons, slept for by scripted targets',
  endpoint: `from just before the start of the target to each comparison’s own endpoint; ${scale === 1 ? 'the documents’ times' : `${scale} of the documents’ times`}; warm`,
  figures,
  samples,
});
