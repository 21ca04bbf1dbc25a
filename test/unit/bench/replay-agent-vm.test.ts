import {describe, expect, it} from 'vitest';
import {makeReport} from '../../../src/bench/make-report.js';
import {benchText} from '../../../src/views/bench-report.js';
import {benched, cellOf, replaying, tellValue, valuesOf} from './benched.js';
import {kernelRounds, kernelTable, kernelValues} from './documents.js';

const eachInOwnLine = (values: readonly number[]): readonly (readonly number[])[] => values.map((value) => [value]);

describe('agent-vm’s figures through the real pipeline', () => {
  it('V15: the kernel table has the document’s means, deviations and deltas against the named base', async () => {
    const report = await benched({
      variants: kernelValues().map(([name, values]) => ({
        name,
        command: replaying(tellValue('create'), eachInOwnLine(values)),
      })),
      rounds: kernelRounds,
      base: 'stock',
    });
    for (const [name, [mean, sd]] of Object.entries(kernelTable)) {
      const {summary} = cellOf(report, 'create', name);
      expect(summary.mean).toBeCloseTo(mean, 1);
      expect(summary.sd).toBeCloseTo(sd, 1);
    }
    const against = (name: keyof typeof kernelTable) => cellOf(report, 'create', name).comparison;
    expect(against('stock')).toBeNull();
    expect(Math.abs(against('+KVM')!.difference! - 99)).toBeLessThan(45);
    for (const name of ['legacy netfilter', 'full', 'deferred init'] as const) {
      const delta = kernelTable[name][0] - kernelTable.stock[0];
      expect(Math.abs(against(name)!.difference! - delta), name).toBeLessThan(45);
    }
    expect([against('legacy netfilter')?.verdict, against('full')?.verdict]).toEqual(['slower', 'slower']);
    expect(against('deferred init')?.verdict).not.toBe('faster'); // it is no help
    // The last step of the table, +3 ms, is no step.
    const onward = makeReport({...report.result, base: 'legacy netfilter'});
    expect(cellOf(onward, 'create', 'full').comparison?.verdict).toBe('no difference shown');
  });

  it('V14, part 7: a boot time of the runtime’s own that moves alone is called misleading, and ranks nothing', async () => {
    const report = await benched({
      variants: [
        {
          name: 'two',
          command: replaying(`${tellValue('boot_time_ms')}; sleep 0.05`, eachInOwnLine(valuesOf(900, 20, 8))),
        },
        {
          name: 'four',
          command: replaying(`${tellValue('boot_time_ms')}; sleep 0.05`, eachInOwnLine(valuesOf(400, 20, 8))),
        },
      ],
      rounds: 8,
    });
    expect(cellOf(report, 'exit', 'four').comparison?.verdict).toBe('no difference shown');
    expect(report.misleading).toMatchObject([{variant: 'four', row: 'boot_time_ms', verdict: 'faster'}]);
    expect(benchText(report)).toContain('Misleading: boot_time_ms');
  });
});
