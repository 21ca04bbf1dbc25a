import {existsSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {milestonesIn, takeTimeline} from '../../../src/launch/timeline-file.js';
import type {Moment} from '../../../src/model/units.js';

describe('a timeline that is read after the fact', () => {
  it('tells what says when it was, once it lies in the past, and passes over everything else', ({expect}) => {
    const lines = [
      'first-output\t{"at": 5}',
      'größe 3 → 4\t{"at": 6.5, "more": [1]}',
      'without a moment',
      'broken\t{"at": ',
      'later than now\t{"at": 101}',
      'no number\t{"at": "7"}',
      '\t{"at": 8}',
      '',
      'cut short\t{"at": 9',
    ];
    expect(milestonesIn(lines.join('\n'), 100 as Moment)).toEqual([
      {name: 'first-output', at: 5},
      {name: 'größe 3 → 4', at: 6.5},
    ]);
  });

  it('is gone afterwards, and one that was never written is empty', ({expect}) => {
    const path = join(mkdtempSync(join(tmpdir(), 'bootcut-timeline-')), 'timeline');
    expect(takeTimeline(path)).toEqual([]);
    writeFileSync(path, `one\t{"at": 0}\n${'x'.repeat(70_000)}\ttwo\t{"at": 1}\n`);
    expect(takeTimeline(path)).toEqual([{name: 'one', at: 0}]);
    expect(existsSync(path)).toBe(false);
  });
});
