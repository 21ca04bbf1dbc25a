import {describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {profileList} from '../../../src/views/profile-list.js';
import {localTime} from '../../../src/views/profile-words.js';
import {makeRecord, phases} from '../record/sample-record.js';

describe('several profiles as text', () => {
  test('take one row each, in the order given', ({expect}) => {
    const records = [
      makeRecord({target: 'node', total: ms(12_345), waited: ms(4)}),
      makeRecord({
        verb: 'shell',
        target: '',
        temperature: 'mixed',
        via: 'in-process',
        viaReason: 'daemon-absent',
        outcome: {kind: 'killed', signal: 15},
        phases: phases([
          ['client', 0, 40],
          ['pre-boot', 40, 55],
          ['boot', 55, 60],
          ['run', 60, 100],
        ]),
      }),
    ];
    const [head, , ...rows] = profileList(records.map(profileLaunch)).split('\n');
    const cells = (line: string | undefined) =>
      line
        ?.slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim());
    expect(cells(head)).toEqual(['launch', 'time', 'what', 'cache', 'via', 'total', 'pre-boot', 'waited', 'outcome']);
    const time = localTime(new Date(records[0]?.at ?? 0).toISOString());
    expect(rows.slice(0, 2).map(cells)).toEqual([
      [records[0]?.id.slice(-6), time, 'run node', 'warm', 'daemon', '12.3 s', '20 ms', '4.00 ms', 'exited 0'],
      [
        records[1]?.id.slice(-6),
        time,
        'shell',
        'mixed',
        'in-process (daemon-absent)',
        '100 ms',
        '55 ms',
        '0.00 ms',
        'killed by signal 15',
      ],
    ]);
  });

  test('say what their columns run from and to', ({expect}) => {
    expect(profileList([]).split('\n').at(-1)).toBe(
      'total: from the exec of our command to its end; pre-boot: until boot begins; waited: held for answers.',
    );
  });
});

test('a time is shown where the reader is', ({expect}) => {
  const zone = process.env['TZ'];
  try {
    process.env['TZ'] = 'Asia/Kolkata';
    expect(localTime('2026-11-30T23:05:09.764Z')).toBe('2026-12-01 04:35:09');
    process.env['TZ'] = 'UTC';
    expect(localTime('2026-01-02T03:04:05.000Z')).toBe('2026-01-02 03:04:05');
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});
