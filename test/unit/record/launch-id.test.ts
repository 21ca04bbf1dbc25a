import {describe, test} from 'vitest';
import {isLaunchId, launchIdTime, newLaunchId} from '../../../src/record/launch-id.js';
import {wallTime} from './sample-record.js';

describe('a launch id', () => {
  test('is in the form of a ULID and tells its time', ({expect}) => {
    const id = newLaunchId(wallTime(1_796_056_809_764.7));
    expect(isLaunchId(id)).toBe(true);
    expect(launchIdTime(id)).toBe(1_796_056_809_764);
  });

  test('sorts by time as text', ({expect}) => {
    const times = [0, 1, 31, 32, 1023, 1024, 1_796_056_809_764, 1_796_056_809_765];
    const ids = times.map((at) => newLaunchId(wallTime(at)));
    expect([...ids].sort()).toEqual(ids);
  });

  test('does not come twice in one millisecond', ({expect}) => {
    const ids = new Set(Array.from({length: 10_000}, () => newLaunchId(wallTime(5))));
    expect(ids.size).toBe(10_000);
  });

  test('of a clock before 1970 counts from there', ({expect}) => {
    expect(launchIdTime(newLaunchId(wallTime(-5)))).toBe(0);
  });

  test('is nothing else', ({expect}) => {
    for (const text of ['', 'x', 'I'.repeat(26), 'A'.repeat(25), 'A'.repeat(27), `${'A'.repeat(26)}\n`]) {
      expect(isLaunchId(text), text).toBe(false);
    }
  });
});
