import {describe, expect, it} from 'vitest';
import {benchText} from '../../../src/views/bench-report.js';
import {benched, cellOf, replaying, tellValue, valuesOf} from './benched.js';
import {accountAfter, accountBefore, shellVisible, triedAndDropped} from './documents.js';

/** The longest of these benches sleeps 11 s. */
const timeout = 60_000;

const eachInOwnLine = (values: readonly number[]): readonly (readonly number[])[] => values.map((value) => [value]);

/*
 * Reported by the target where a verdict needs exact values, slept for where it stands on a busy machine too; all of them
 * slept for at full length: `npm run bench replay`.
 */
describe('Amethyst’s figures through the real pipeline', () => {
  it('A4: account loaded 1751 to 1418 ms is faster, and the ranges do not overlap', async () => {
    const report = await benched({
      variants: [
        {name: 'before', command: replaying(tellValue('account loaded'), eachInOwnLine(accountBefore))},
        {name: 'after', command: replaying(tellValue('account loaded'), eachInOwnLine(accountAfter))},
      ],
      rounds: 8,
    });
    const [before, after] = [cellOf(report, 'account loaded', 'before'), cellOf(report, 'account loaded', 'after')];
    expect(before.summary).toMatchObject({median: 1751, min: 1663, max: 1836});
    expect(after.summary).toMatchObject({median: 1418, min: 1357, max: 1459});
    expect(after).toMatchObject({overlaps: false, comparison: {verdict: 'faster'}});
    expect(benchText(report)).toContain('no overlap');
  });

  it('A5, A9, A11: a table of milestones with the documents’ verdicts: 4201 against 4212 ms is no difference', async () => {
    const n = 12;
    const line = (settled: number, frame: number, relays: number) => {
      const columns = [valuesOf(settled, 90, n), valuesOf(frame, 60, n), valuesOf(relays, 80, n).toReversed()];
      return Array.from({length: n}, (_, index) => columns.map((column) => column[index]!));
    };
    const script = [
      tellValue('settled', '$1'),
      tellValue('first frame', '$2'),
      tellValue('relays connected', '$3'),
    ].join('\n');
    const report = await benched({
      variants: [
        {name: 'main', command: replaying(script, line(5631, 3474, 2044))},
        {name: 'AppCDS', command: replaying(script, line(3377, 952, 1517))},
      ],
      rounds: n,
    });
    expect(cellOf(report, 'settled', 'AppCDS').comparison).toMatchObject({verdict: 'faster'});
    expect(cellOf(report, 'settled', 'AppCDS').comparison?.difference).toBeCloseTo(3377 - 5631, -2);
    expect(cellOf(report, 'first frame', 'AppCDS').comparison?.verdict).toBe('faster');
    expect(cellOf(report, 'relays connected', 'AppCDS').comparison?.verdict).toBe('faster');
    const same = await benched({
      variants: [
        {name: 'with', command: replaying(tellValue('settled'), eachInOwnLine(valuesOf(4201, 120, n)))},
        {name: 'without', command: replaying(tellValue('settled'), eachInOwnLine(valuesOf(4212, 120, n).toReversed()))},
      ],
      rounds: n,
    });
    expect(cellOf(same, 'settled', 'without').comparison?.verdict).toBe('no difference shown');
  });

  it(
    'A9: 4201 against 4212 ms is no difference, slept for (a tenth of the times)',
    async () => {
      const report = await benched(triedAndDropped(1 / 10));
      expect(cellOf(report, 'settled', 'without').comparison?.verdict).toBe('no difference shown');
      expect(benchText(report)).toContain('without against with at settled: no difference shown');
    },
    timeout,
  );

  it(
    'A7: own marks and looks from outside are set side by side, and where they disagree is said, slept for (a tenth)',
    async () => {
      const report = await benched(shellVisible(1 / 10));
      const [outside, own] = (['outside', 'target'] as const).map((source) =>
        report.rows.find((row) => row.name === 'visible' && row.source === source),
      );
      // The endpoint is what was seen, not what the program says of itself.
      expect([outside?.isEndpoint, own?.isEndpoint]).toEqual([true, false]);
      const [before, after] = outside!.cells;
      expect(before!.summary.median).toBeGreaterThan(883);
      expect(after!.summary.median).toBeLessThan(600);
      expect(after!.comparison!.difference!).toBeLessThan(-300);
      expect(after!.summary.n).toBe(8); // those that disagree are counted
      const gap = report.markGaps.find(({variant}) => variant === 'after')!;
      expect(gap.gap.n).toBe(8);
      expect(gap.gap.median).toBeGreaterThan(9);
      // The fourth and the seventh boot of the document's run; a busy machine may add another.
      expect(gap.far.map(({round}) => round)).toEqual(expect.arrayContaining([4, 7]));
      const text = benchText(report);
      expect(text).toMatch(
        /visible of after is seen from outside [\d.]+ ms after its own mark in the median .* 8 runs/,
      );
      expect(text).toMatch(
        /They disagree about visible of after in round 4: [\d.]+ ms by its own mark, [\d.]+ ms from/,
      );
    },
    timeout,
  );

  it('A7: what is far from the others is listed and counted: 7318 and 8433 ms among boots of 4483', async () => {
    const report = await benched({
      variants: [
        {
          name: 'before',
          command: replaying(tellValue('visible'), eachInOwnLine([8700, 8847, 8920, 8760, 8827, 9000, 8800, 8880])),
        },
        {
          name: 'after',
          command: replaying(tellValue('visible'), eachInOwnLine([4390, 4530, 4460, 7318, 4496, 4420, 8433, 4470])),
        },
      ],
      rounds: 8,
    });
    const [before, after] = report.rows.find(({name}) => name === 'visible')!.cells;
    expect([before!.summary.median, after!.summary.median, after!.summary.n]).toEqual([8837, 4483, 8]);
    expect([before!.outliers, after!.outliers]).toEqual([[], [7318, 8433]]);
    expect(benchText(report)).toContain('Far from the others, and counted: visible of after: 7,318, 8,433.');
  });

  it('A8: samples inside a window are counted: 61–71 to 31–37', async () => {
    const script = `i=0; while [ $i -lt $1 ]; do echo drawer; i=$((i + 1)); done >>"$BOOTCUT_TIMELINE"`;
    const report = await benched({
      variants: [
        {name: 'before', command: replaying(script, eachInOwnLine([61, 66, 71, 65, 64, 68, 70, 66]))},
        {name: 'after', command: replaying(script, eachInOwnLine([31, 34, 37, 33, 36, 32, 35, 34]))},
      ],
      rounds: 8,
    });
    const row = report.rows.find(({kind}) => kind === 'count');
    expect(row?.cells.map(({summary: {min, max}}) => [min, max])).toEqual([
      [61, 71],
      [31, 37],
    ]);
    expect(row?.cells[1]).toMatchObject({overlaps: false, comparison: {verdict: 'faster'}});
    expect(benchText(report)).toMatch(/drawer \(times\).*\n.*lower/);
  });
});
