import {describe, test} from 'vitest';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {profileTsv} from '../../../src/views/profile-tsv.js';
import {micros, randomRecord, sum} from '../profile/random-record.js';
import {makeRecord, makeStep, spans} from '../record/sample-record.js';

const rowsOf = (text: string): readonly (readonly string[])[] => text.split('\n').map((line) => line.split('\t'));

describe('profile as TSV', () => {
  test('has the documented columns, and as many fields in every row, whatever a record says', ({expect}) => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const profile = profileLaunch(randomRecord(seed));
      const [head, ...rows] = rowsOf(profileTsv([profile]));
      expect(head?.join(' ')).toBe(
        'launch at target runtime temperature outcome kind name in from_ms duration_ms state',
      );
      expect(new Set(rows.map(({length}) => length))).toEqual(new Set([12]));
      const phases = rows.filter((row) => row[6] === 'phase').map((row) => micros(Number(row[10])));
      expect(sum(phases), `seed ${seed}`).toBe(micros(profile.totalMs));
    }
  });

  test('keeps a hostile name in its field, on its line and harmless to a terminal', ({expect}) => {
    const evil = 'a\tb\nc\\d\r\u001b[31m\u202e';
    const record = makeRecord({target: evil, steps: [makeStep(evil, 1, 2)], spans: spans([[evil, 1, 2]])});
    const text = profileTsv([profileLaunch(record)]);
    const names = rowsOf(text).filter((row) => row[6] === 'step' || row[6] === 'span');
    expect(names.map((row) => row[7])).toEqual(Array(2).fill('a\\tb\\nc\\\\d\\r\\x1b[31m\\u202e'));
    expect(text).not.toMatch(/[\u001b\u202e\r]/);
  });
});
