import type {BenchReport, Cell, MarkGap, Row} from '../bench/report.js';
import type {BenchRun} from '../bench/result.js';
import {figure} from '../profile/figures.js';
import {visible} from '../system/visible.js';
import {attributionText} from './bench-attribution.js';
import {predictionText} from './bench-predictions.js';
import {threadText} from './bench-threads.js';
import {comparisonWords, inUnit, percentOf, verdictWord} from './bench-words.js';
import {count} from './failure.js';
import {type Column, table} from './table.js';

const left = (head: string): Column => ({head, align: 'left'});
const right = (head: string): Column => ({head, align: 'right'});

/** A bench as text: Markdown whose tables are aligned for a terminal. */
export const benchText = (report: BenchReport): string =>
  [
    headLines(report),
    ...(report.rows.length === 0 ? ['No run came to its end: there is nothing to compare.'] : [rowsTable(report)]),
    ...sentences(report),
    ...notOkText(report.notOk),
    ...attributionText(report),
    ...threadText(report.threads),
    ...predictionText(report.predictions),
  ].join('\n\n');

const headLines = ({result, counts}: BenchReport): string => {
  const done = Math.max(0, ...result.runs.map(({round}) => round));
  const rounds = done === result.rounds ? count(done, 'round') : `${done} of ${result.rounds} rounds`;
  return [
    `${visible(result.title)}: ${count(result.variants.length, 'variant')}, ${rounds}${result.state === 'complete' ? '' : ` (${result.state})`}`,
    `- bench ${result.id}, seed ${result.seed}, endpoint ${visible(result.endpoint)}, from just before the start of the target`,
    `- host ${result.host.id}: ${result.host.cores} × ${visible(result.host.cpu)}, ${result.host.system}`,
    ...result.variants.map(({name, temperature, through}) => {
      const kept = temperature.length === 0 ? 'warm' : temperature.join(', ');
      return `- ${visible(name)}${name === result.base ? ' (base)' : ''}: ${kept}${through === undefined ? '' : `, through bootcut ${through.verb}`}`;
    }),
    ...counts.flatMap(({variant, firstRun}) =>
      firstRun === null ? [] : [`- first run of ${visible(variant)}, not counted: ${inUnit(firstRun, 'milestone')}`],
    ),
    ...(result.registered === undefined
      ? []
      : [`- registered ${result.registered.registeredAt} as ${result.registered.id}`]),
    ...(result.dropped === undefined ? [] : [`- tried and dropped: ${visible(result.dropped.why)}`]),
  ].join('\n');
};

const rowsTable = ({rows}: BenchReport): string =>
  table(
    [
      left('figure'),
      left('variant'),
      right('n'),
      right('median'),
      right('range'),
      right('mean ± sd'),
      right('difference'),
      right('95 % interval'),
      left('ranges'),
      left('verdict'),
    ],
    rows.flatMap((row) => row.cells.map((cell, index) => cells(row, cell, index === 0))),
  );

const cells = (row: Row, {variant, summary, comparison, overlaps}: Cell, isFirst: boolean): readonly string[] => {
  const own = (value: number | null): string => (value === null ? '–' : inUnit(value, row.kind));
  const {min, max, mean, sd} = summary;
  const interval = comparison?.interval ?? null;
  return [
    isFirst ? rowName(row) : '',
    variant,
    String(summary.n),
    own(summary.median),
    min === null || max === null ? '–' : `${own(min)} – ${own(max)}`,
    mean === null ? '–' : `${own(mean)} ± ${own(sd)}`,
    comparison === null ? '' : `${signed(comparison.difference, row)} (${percentOf(comparison.share)})`,
    interval === null ? '' : `${signed(interval.low, row)} … ${signed(interval.high, row)}`,
    overlaps === null ? '' : overlaps ? 'overlap' : 'no overlap',
    comparison === null ? '' : verdictWord(comparison.verdict, row.kind),
  ];
};

const rowName = ({name, kind, isEndpoint, source}: Row): string => {
  const suffix = {
    milestone: source === 'target' ? ' (own mark)' : '',
    metric: ' (own figure)',
    count: ' (times)',
    memory: ' KiB',
  };
  return `${name}${suffix[kind]}${isEndpoint ? ', the endpoint' : ''}`;
};

const signed = (value: number | null, {kind}: Row): string =>
  value === null ? '–' : `${value > 0 ? '+' : ''}${inUnit(value, kind)}`;

const sentences = (report: BenchReport): readonly string[] => {
  const {rows, misleading, markGaps, ranking, result} = report;
  const endpoint = rows.find(({isEndpoint}) => isEndpoint);
  const lines = [
    ...(endpoint?.cells ?? []).flatMap(({variant, comparison, overlaps}) =>
      comparison === null ? [] : [comparisonWords(variant, result.base, endpoint?.name ?? '', comparison, overlaps)],
    ),
    ...(ranking.length > 2 ? [`By the endpoint: ${ranking.map(visible).join(', ')}.`] : []),
    ...misleading.map(
      ({variant, row, verdict, share}) =>
        `Misleading: ${visible(row)}, which the target reports of itself, is ${verdict} in ${visible(variant)} (${percentOf(share)}), but the endpoint shows no difference: nothing was gained or lost.`,
    ),
    ...markGaps.flatMap(markLines),
    ...rows.flatMap(({name, cells: own, kind}) =>
      own.flatMap(({variant, outliers}) =>
        outliers.length === 0
          ? []
          : [
              `Far from the others, and counted: ${visible(name)} of ${visible(variant)}: ${outliers.map((value) => inUnit(value, kind)).join(', ')}.`,
            ],
      ),
    ),
    ...slackLines(rows),
  ];
  return lines.length === 0 ? [] : [lines.map((line) => `- ${line}`).join('\n')];
};

/** What the target says of itself, and what is seen of it. */
const markLines = ({variant, name, gap, outliers, far}: MarkGap): readonly string[] => {
  const ms = (value: number | null): string => (value === null ? '–' : inUnit(value, 'milestone'));
  const [what, later] = [`${visible(name)} of ${visible(variant)}`, (gap.median ?? 0) >= 0];
  const middle = gap.median === null ? null : Math.abs(gap.median);
  const single = outliers.length === 0 ? '' : `; far from the others: ${outliers.map(ms).join(', ')}`;
  return [
    `${what} is seen from outside ${ms(middle)} ${later ? 'after' : 'before'} its own mark in the median (${ms(gap.min)} to ${ms(gap.max)}, ${count(gap.n, 'run')}${single}).`,
    ...far.map(
      ({round, target, outside}) =>
        `They disagree about ${what} in round ${round}: ${ms(target)} by its own mark, ${ms(outside)} from outside.`,
    ),
  ];
};

const slackLines = (rows: readonly Row[]): readonly string[] =>
  rows.flatMap(({name, slackMs, slackBy}) =>
    slackMs === null || slackBy === null || (slackBy === 'event' && slackMs < 1)
      ? []
      : [
          `${visible(name)} was noticed at most ${figure(slackMs, 1)} ms late (${slackBy === 'event' ? 'the system told' : 'looked at again and again'}).`,
        ],
  );

const notOkText = (runs: readonly BenchRun[]): readonly string[] => {
  if (runs.length === 0) return [];
  const lines = runs.map(({variant, round, state, why}) => {
    const which = round === 0 ? 'the warm-up' : `round ${round}`;
    return `- ${visible(variant)}, ${which}: ${state}${why === undefined ? '' : `: ${visible(why)}`}`;
  });
  const last = runs.find(({lastLines}) => (lastLines?.length ?? 0) > 0)?.lastLines ?? [];
  return [
    `In none of the figures:\n${lines.join('\n')}`,
    ...(last.length === 0
      ? []
      : [`Its last lines on stderr:\n${last.map((line) => `    ${visible(line)}`).join('\n')}`]),
  ];
};
