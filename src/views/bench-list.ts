import type {BenchLine} from '../bench/bench-line.js';
import {percentOf} from './bench-words.js';
import {localTime} from './profile-words.js';
import {table} from './table.js';

/** `bench list` as text. */
export const benchListText = (benches: readonly BenchLine[]): string =>
  benches.length === 0
    ? "No bench is on record yet: 'bootcut bench --help' shows how to run one."
    : table(
        ['bench', 'when', 'title', 'runs', 'at the endpoint', 'fate'].map((head) => ({head, align: 'left' as const})),
        benches.map((bench) => [
          bench.id,
          localTime(bench.at),
          bench.title,
          `${bench.runs}${bench.notOk === 0 ? '' : `, ${bench.notOk} not counted`}`,
          bench.verdicts
            .map(
              ({variant, verdict, share}) => `${variant}: ${verdict}${share === null ? '' : ` (${percentOf(share)})`}`,
            )
            .join('; '),
          bench.dropped === null ? (bench.state === 'complete' ? '' : bench.state) : `dropped: ${bench.dropped}`,
        ]),
      );
