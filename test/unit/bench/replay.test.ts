import {describe, expect, it} from 'vitest';
import {benchText} from '../../../src/views/bench-report.js';
import {benched, cellOf, replaying, tell, tellValue, valuesOf} from './benched.js';

const eachInOwnLine = (values: readonly number[]): readonly (readonly number[])[] => values.map((value) => [value]);

/** Within the documents' ranges, with the documents' medians. */
const accountBefore = [1663, 1836, 1751, 1720, 1790, 1751, 1700, 1810];
const accountAfter = [1459, 1357, 1418, 1400, 1440, 1418, 1380, 1430];

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

describe('agent-vm’s kernel table through the real pipeline (V15)', () => {
  it('has the documents’ means, deviations and deltas against the named base', async () => {
    const n = 12;
    const table = {stock: [1488, 100], '+KVM': [1587, 150], 'legacy netfilter': [1677, 30], full: [1680, 30]} as const;
    const report = await benched({
      variants: Object.entries(table).map(([name, [mean, sd]]) => ({
        name,
        command: replaying(tellValue('create'), eachInOwnLine(valuesOf(mean, sd, n))),
      })),
      rounds: n,
      base: 'stock',
    });
    for (const [name, [mean, sd]] of Object.entries(table)) {
      const {summary} = cellOf(report, 'create', name);
      expect(summary.mean).toBeCloseTo(mean, 1);
      expect(summary.sd).toBeCloseTo(sd, 1);
    }
    expect(Math.abs(cellOf(report, 'create', '+KVM').comparison!.difference! - 99)).toBeLessThan(45);
    expect(cellOf(report, 'create', 'full').comparison).toMatchObject({verdict: 'slower'});
    expect(cellOf(report, 'create', 'stock').comparison).toBeNull();
  });

  it('V14, part 7: a boot time of the runtime’s own that moves alone is called misleading, and ranks nothing', async () => {
    const figures = (values: readonly number[]) => eachInOwnLine(values);
    const report = await benched({
      variants: [
        {name: 'two', command: replaying(`${tellValue('boot_time_ms')}; sleep 0.05`, figures(valuesOf(900, 20, 8)))},
        {name: 'four', command: replaying(`${tellValue('boot_time_ms')}; sleep 0.05`, figures(valuesOf(400, 20, 8)))},
      ],
      rounds: 8,
    });
    const endpoint = cellOf(report, 'exit', 'four').comparison!;
    if (endpoint.verdict === 'no difference shown') {
      expect(report.misleading).toMatchObject([{variant: 'four', row: 'boot_time_ms', verdict: 'faster'}]);
      expect(benchText(report)).toContain('Misleading: boot_time_ms');
    } else throw new Error(`two equal targets: ${endpoint.verdict}`);
  });
});

describe('Chimera’s figures through the real pipeline', () => {
  const script = `sleep $1; ${tell('bound')}; sleep $2; ${tell('healthy')}; sleep 60`;
  const seconds = (bound: number, health: number) => Array.from({length: 5}, () => [bound, health]);

  it('C4, C7: bound to health is 34 % of its total and acted on; after the fix nothing of it is', async () => {
    const registered = {
      predictions: [
        {of: 'bound → healthy', variant: 'before', what: 'share', from: 0.28, to: 0.4, culprit: 'connect retry'},
        {of: 'litellm', variant: 'before', what: 'median', from: 500, to: 5000, culprit: 'litellm'},
        {of: 'healthy', variant: 'after', what: 'median', from: 1, to: 10, culprit: 'nobody'},
      ],
      actAbove: 0.2,
      bench: undefined,
    } as const;
    const report = await benched(
      {
        variants: [
          {name: 'before', command: replaying(script, seconds(1.02 / 2, 0.53 / 2))},
          {name: 'after', command: replaying(script, seconds(1.01 / 2, 0.02 / 2))},
        ],
        rounds: 5,
        endpoint: 'healthy',
      },
      registered,
    );
    const [before, after] = report.attribution;
    const part = before!.parts.find(({name}) => name === 'bound → healthy')!;
    expect(part.share).toBeGreaterThan(0.25);
    expect(part.share).toBeLessThan(0.45);
    expect(before!.actOn.map(({name}) => name)).toContain('bound → healthy');
    expect(after!.leave.map(({name}) => name)).toContain('bound → healthy');
    // C8: predictions against results, wrong ones called wrong; what was never measured is not passed off as right.
    expect(report.predictions.map(({outcome}) => outcome)).toEqual(['right', 'not measured', 'wrong']);
    expect(benchText(report)).toContain('Left alone: bound → healthy');
    // Five rounds are too few for a verdict, however clear: the ranges say what there is to say.
    expect(cellOf(report, 'healthy', 'after')).toMatchObject({
      overlaps: false,
      comparison: {verdict: 'not enough data'},
    });
  });

  it('C7, C10: imports are attributed at the top level only, and what is 15 % is left alone', async () => {
    // As in the document: 454.4, 130.9, 122.5 and 92.6 of 897.7 ms, the first one with a part of 200 ms inside of it.
    const took = (name: string, ms: number, wait: number): string =>
      `sleep ${wait / 1000}; printf '${name}\\t{"took":%s}\\n' ${ms / 2} >>"$BOOTCUT_TIMELINE"`;
    const script = [
      'sleep 0.05',
      took('inner', 200, 100),
      took('server', 454.4, 128),
      took('tools', 130.9, 66),
      took('memory', 122.5, 62),
      took('skills', 92.6, 47),
      'sleep 0.05',
      'exit 0',
    ].join('\n');
    const report = await benched({variants: [{name: 'it', command: ['sh', '-c', script]}], rounds: 3});
    const [attribution] = report.attribution;
    expect(attribution?.spans.map(({name}) => name)).toEqual(['server', 'tools', 'memory', 'skills']);
    expect(attribution?.spans[0]?.ms).toBeCloseTo(227.2, 1);
    const byName = (names: readonly {readonly name: string}[] | undefined) => names?.map(({name}) => name);
    expect(byName(attribution?.actOn)).toContain('server');
    expect(byName(attribution?.leave)).toEqual(expect.arrayContaining(['memory', 'skills']));
  });

  it('C9: the first run stands apart and every run is kept', async () => {
    const report = await benched({
      variants: [{name: 'it', command: replaying('sleep $1', [[0.3], [0.01], [0.01], [0.01], [0.01]])}],
      rounds: 4,
      warmups: 1,
    });
    expect(report.counts[0]?.firstRun).toBeGreaterThan(300);
    expect(report.rows[0]?.cells[0]?.summary).toMatchObject({n: 4});
    expect(report.rows[0]?.cells[0]?.summary.median).toBeLessThan(report.counts[0]!.firstRun!);
    expect(report.result.runs).toHaveLength(5);
  });
});
