import type {Verdict} from './judge.js';
import {makeReport} from './make-report.js';
import type {BenchResult} from './result.js';

/** A bench in one line. */
export interface BenchLine {
  readonly id: string;
  readonly at: string;
  readonly title: string;
  readonly state: BenchResult['state'];
  readonly endpoint: string;
  readonly host: string;
  readonly runs: number;
  readonly notOk: number;
  readonly verdicts: readonly {readonly variant: string; readonly verdict: Verdict; readonly share: number | null}[];
  readonly dropped: string | null;
}

export const benchLine = (result: BenchResult): BenchLine => {
  const {rows, notOk} = makeReport(result);
  const cells = rows.find(({isEndpoint}) => isEndpoint)?.cells ?? [];
  return {
    id: result.id,
    at: result.at,
    title: result.title,
    state: result.state,
    endpoint: result.endpoint,
    host: result.host.id,
    runs: result.runs.length,
    notOk: notOk.length,
    verdicts: cells.flatMap(({variant, comparison}) =>
      comparison === null ? [] : [{variant, verdict: comparison.verdict, share: comparison.share}],
    ),
    dropped: result.dropped?.why ?? null,
  };
};
