import {existsSync, readFileSync} from 'node:fs';
import {describe, it} from 'vitest';
import {countedSchedstat, earliestStart, type StartSigns} from '../../../src/client/exec-moment.js';

/** A process made in the tick from `tick` x 10 ms on. */
const stat = (tick: number): string => `1 (a (name) x) S ${Array.from({length: 18}, () => '0').join(' ')} ${tick} 0 0`;

const signs = (changes: Partial<StartSigns>): StartSigns => ({
  now: 100_060,
  zero: 100_010,
  schedstat: undefined,
  stat: undefined,
  uptime: '100.06 190.00',
  ...changes,
});

describe('the moment of our exec', () => {
  it('is Node’s own zero where the system tells nothing', ({expect}) => {
    expect(earliestStart(signs({}))).toBe(100_010);
  });

  it('lies before what our thread has run and waited since, unless a script became us', ({expect}) => {
    expect(earliestStart(signs({schedstat: '50000000 5000000 3'}))).toBe(100_005);
    expect(earliestStart(signs({schedstat: '30000000 5000000 3'}))).toBe(100_010);
    expect(earliestStart(signs({schedstat: '500000000 0 3'}))).toBe(100_010);
  });

  it('lies before the end of the tick in which we were made, and never before that tick', ({expect}) => {
    expect(earliestStart(signs({stat: stat(9999)}))).toBe(100_000);
    expect(earliestStart(signs({stat: stat(10_000)}))).toBe(100_010);
    expect(earliestStart(signs({stat: stat(9999), schedstat: '50000000 5000000 3'}))).toBe(100_000);
  });

  it('is not what a tick says that lies further back, or that another clock counts', ({expect}) => {
    expect(earliestStart(signs({stat: stat(9998)}))).toBe(100_010); // it may have slept as a script
    expect(earliestStart(signs({stat: stat(9999), uptime: '4000.00 1.00'}))).toBe(100_010); // the machine has slept
  });

  it.skipIf(!existsSync('/proc/self/schedstat'))(
    'counts what the kernel has not counted since its last tick',
    ({expect}) => {
      const ran = (schedstat: string | undefined): number => Number(schedstat?.split(' ')[0] ?? Number.NaN);
      const work = (): void => {
        for (let text = '', turn = 0; turn < 20_000; turn += 1) text = String(turn) + text.slice(0, 10);
      };
      // Between two ticks the file stands still, whatever has been done meanwhile; a tick comes in few of the turns.
      const counted = Array.from({length: 200}, () => {
        work();
        const before = ran(readFileSync('/proc/self/schedstat', 'latin1'));
        return ran(countedSchedstat()) > before;
      });
      expect(counted.filter(Boolean).length).toBeGreaterThan(150);
    },
  );
});
