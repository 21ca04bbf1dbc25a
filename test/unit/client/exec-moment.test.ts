import {describe, it} from 'vitest';
import {earliestStart, type StartSigns} from '../../../src/client/exec-moment.js';

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
});
