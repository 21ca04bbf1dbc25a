import {describe, expect, it} from 'vitest';
import {benchText} from '../../../src/views/bench-report.js';
import {benched, cellOf, replaying} from './benched.js';
import {boundToHealthy} from './documents.js';

const namesOf = (parts: readonly {readonly name: string}[] | undefined): readonly string[] | undefined =>
  parts?.map(({name}) => name);

describe('Chimera’s figures through the real pipeline, slept for', () => {
  it('C4, C7, C8: 34 % of the total is acted on, 15 % and 8 % are left; after the fix nothing of it is (half the times)', async () => {
    const registered = {
      predictions: [
        {of: 'bound → healthy', variant: 'before', what: 'share', from: 0.28, to: 0.4, culprit: 'connect retry'},
        {of: 'litellm', variant: 'before', what: 'median', from: 500, to: 5000, culprit: 'litellm'},
        {of: 'healthy', variant: 'after', what: 'median', from: 1, to: 10, culprit: 'nobody'},
      ],
      actAbove: 0.2,
      bench: undefined,
    } as const;
    const report = await benched(boundToHealthy(1 / 2), registered);
    const [before, after] = report.attribution;
    expect(namesOf(before?.actOn)).toEqual(['bound → healthy']);
    expect(before?.actOn[0]?.share).toBeGreaterThan(0.3);
    expect(before?.actOn[0]?.share).toBeLessThan(0.38);
    const left = new Map(before?.leave.map(({name, share}) => [name, share]));
    for (const [name, share] of [
      ['start → tools imported', 0.15],
      ['tools imported → server imported', 0.15],
      ['settings read → polled', 0.08],
    ] as const) {
      expect(Math.abs((left.get(name) ?? 1) - share), name).toBeLessThan(0.03);
    }
    expect(namesOf(after?.leave)).toContain('bound → healthy');
    // C8: predictions against results, wrong ones called wrong; what was never measured is not passed off as right.
    expect(report.predictions.map(({outcome}) => outcome)).toEqual(['right', 'not measured', 'wrong']);
    const text = benchText(report);
    expect(text).toMatch(/Act on, if .*: bound → healthy \(3\d/);
    expect(text).toMatch(/Left alone: .*start → tools imported \(1\d/);
    // Five rounds are too few for a verdict, however clear: the ranges say what there is to say.
    expect(cellOf(report, 'healthy', 'after')).toMatchObject({
      overlaps: false,
      comparison: {verdict: 'not enough data'},
    });
  }, 60_000);

  it('C7, C10: imports are attributed at the top level only, and what is 15 % is left alone', async () => {
    // As in the document: 454.4, 130.9, 122.5 and 92.6 of 897.7 ms, the first one with a part of 200 ms inside of it; all
    // halved, and told with the target's own moments: when the lines arrive decides nothing.
    const script = `
      const now = () => Number(process.hrtime.bigint()) / 1e6;
      const began = now();
      let at = began;
      const line = (name, took, end) => name + '\\t' + JSON.stringify({took, at: end}) + '\\n';
      const lines = [line('inner', 100, began + 120)];
      for (const [name, took] of [['server', 227.2], ['tools', 65.45], ['memory', 61.25], ['skills', 46.3]]) {
        at += took;
        lines.push(line(name, took, at));
      }
      setTimeout(() => require('fs').appendFileSync(process.env.BOOTCUT_TIMELINE, lines.join('')), at - began + 50);
    `;
    const report = await benched({variants: [{name: 'it', command: [process.execPath, '-e', script]}], rounds: 3});
    const [attribution] = report.attribution;
    expect(attribution?.spans.map(({name}) => name)).toEqual(['server', 'tools', 'memory', 'skills']);
    expect(attribution?.spans[0]?.ms).toBeCloseTo(227.2, 1);
    const byName = (names: readonly {readonly name: string}[] | undefined) => names?.map(({name}) => name);
    expect(byName(attribution?.actOn)).toContain('server');
    expect(byName(attribution?.leave)).toEqual(expect.arrayContaining(['tools', 'memory', 'skills']));
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
