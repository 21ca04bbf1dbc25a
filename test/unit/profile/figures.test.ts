import {test} from 'vitest';
import {figure} from '../../../src/profile/figures.js';
import {waitedLine} from '../../../src/profile/waited.js';

test('a figure has its thousands apart, as English has it', ({expect}) => {
  for (const value of [0, 1, 12, 999, 1000, 12_345.678, 999_999.999_6, 1_234_567.5, 1e12, -5, -999, -1000.25]) {
    const digits = {minimumFractionDigits: 3, maximumFractionDigits: 3};
    expect(figure(value, 3)).toBe(value.toLocaleString('en-US', digits));
  }
  expect([figure(1289.6, 0), figure(1_000_000, 0)]).toEqual(['1,290', '1,000,000']);
});

test('the closing line tells what was waited for what', ({expect}) => {
  expect(waitedLine(4.2, 2217.4)).toBe('waited 4 ms for 2,217 ms of look-ups');
});
