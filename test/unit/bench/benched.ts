import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {newResult} from '../../../src/bench/keep.js';
import {makePlan} from '../../../src/bench/make-plan.js';
import {makeReport} from '../../../src/bench/make-report.js';
import type {RegisteredText} from '../../../src/bench/register.js';
import type {BenchReport, Cell} from '../../../src/bench/report.js';
import {runBench} from '../../../src/bench/run-bench.js';
import type {WrittenPlan} from '../../../src/bench/written-plan.js';

/** A whole bench with real processes, without the command line around it. */
export const benched = async (written: WrittenPlan, registered?: RegisteredText): Promise<BenchReport> => {
  const plan = makePlan({warmups: 0, seed: 7, ...written}, tmpdir(), false);
  if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
  const runs = await runBench(plan.value, {
    onProgress: () => undefined,
    onRun: () => undefined,
    interrupted: new AbortController().signal,
  });
  return makeReport({...newResult(plan.value, 'test', undefined, undefined), runs, state: 'complete'}, registered);
};

/**
 * A target that plays a document's figures back: one line of values for each run, in the order in which the variant's runs
 * come. `script` sees the values of its run as $1, $2, …, and the number of the run, from 1, as $n.
 */
export const replaying = (script: string, runs: readonly (readonly (number | string)[])[]): readonly string[] => {
  const directory = mkdtempSync(join(tmpdir(), 'bootcut-replay-'));
  const values = join(directory, 'values');
  writeFileSync(values, `${runs.map((line) => line.join(' ')).join('\n')}\n`);
  // Builtins only: what is started before the script costs the run time, and a busy machine a varying one.
  const next = [
    `n=0; [ ! -e ${directory}/n ] || read -r n <${directory}/n; n=$((n + 1)); echo $n >${directory}/n`,
    `i=0; while [ $i -lt $n ] && read -r line; do i=$((i + 1)); done <${values}; set -- $line`,
  ].join('\n');
  return ['sh', '-c', `${next}\n${script}`];
};

/** Shell that writes a figure of the target's own, exact to the digit. */
export const tellValue = (name: string, value = '$1'): string =>
  `printf '${name}\\t{"value":%s}\\n' ${value} >>"$BOOTCUT_TIMELINE"`;

/** Shell that says a milestone now. */
export const tell = (name: string): string => `echo '${name}' >>"$BOOTCUT_TIMELINE"`;

export const cellOf = (report: BenchReport, row: string, variant: string): Cell => {
  const cell = report.rows.find(({name}) => name === row)?.cells.find((one) => one.variant === variant);
  if (cell === undefined)
    throw new Error(`no ${row} of ${variant}: ${JSON.stringify(report.rows.map(({name}) => name))}`);
  return cell;
};

/** Values with a given mean and sample standard deviation, in an order that has nothing to do with time. */
export const valuesOf = (mean: number, sd: number, n: number): readonly number[] => {
  const raw = Array.from({length: n}, (_, index) => Math.sin((index + 1) * 2.4) + 0.3 * Math.cos((index + 1) * 7.1));
  const middle = raw.reduce((sum, value) => sum + value, 0) / n;
  const spread = Math.sqrt(raw.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (n - 1));
  return raw.map((value) => Math.round((mean + ((value - middle) / spread) * sd) * 1000) / 1000);
};
