import {describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import {compareLaunches} from '../../../src/profile/compare-launches.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {shiftOf, spreadOf} from '../../../src/profile/statistics.js';
import {makeRecord} from '../record/sample-record.js';
import {randomRecord, seeded} from './random-record.js';

describe('the shift between two sets of times', () => {
  test('is the median of all differences, in the interval of the rank test', ({expect}) => {
    // 95 % for 5 against 5: the third from either end of the 25 differences (tables of the rank sum test).
    expect(shiftOf([1, 2, 3, 4, 5], [11, 12, 13, 14, 15])).toEqual({
      shiftMs: 10,
      interval: {fromMs: 7, toMs: 13},
      verdict: 'slower',
    });
  });

  test('says nothing on fewer than five values, and is none without values', ({expect}) => {
    expect(shiftOf([1, 2, 3, 4], [11, 12, 13, 14, 15])).toMatchObject({interval: null, verdict: 'not enough data'});
    expect(shiftOf([], [1])).toBeUndefined();
    expect(shiftOf([1], [])).toBeUndefined();
  });

  test('shows no difference where there is none in 95 of 100 comparisons, and one of 5 % where there is', ({
    expect,
  }) => {
    let wrong = 0;
    let found = 0;
    const draw = (random: () => number, level: number): readonly number[] =>
      Array.from({length: 30}, () => level * (1 + 0.08 * (random() + random() + random() - 1.5)));
    for (let seed = 1; seed <= 1000; seed += 1) {
      const random = seeded(seed);
      const [a, b, c] = [draw(random, 100), draw(random, 100), draw(random, 105)];
      if (shiftOf(a, b)?.verdict !== 'no difference shown') wrong += 1;
      if (shiftOf(a, c)?.verdict === 'slower') found += 1;
    }
    expect(wrong).toBeLessThan(65);
    expect(found).toBeGreaterThan(900);
  });

  test('is not moved by one wild value', ({expect}) => {
    const calm = [10, 11, 12, 13, 14, 15];
    expect(shiftOf(calm, [...calm.slice(0, 5), 5000])?.shiftMs).toBeLessThan(3);
  });
});

describe('a spread', () => {
  test('has only figures that were measured or lie halfway between two', ({expect}) => {
    expect(spreadOf([3, 1, 2, 10])).toEqual({n: 4, medianMs: 2.5, leastMs: 1, mostMs: 10});
    expect(spreadOf([])).toBeUndefined();
  });
});

describe('a comparison of launches', () => {
  /** Launches whose milestones lie around these moments, a fiftieth up or down. */
  const around = (milestones: Readonly<Record<string, number>>, seed: number) => {
    const random = seeded(seed);
    return Array.from({length: 10}, () =>
      profileLaunch(
        makeRecord({
          total: ms(9000),
          milestones: Object.entries(milestones).map(([name, at]) => ({name, at: ms(at * (0.98 + 0.04 * random()))})),
        }),
      ),
    );
  };

  test('A5: has a row for each milestone, with its own verdict', ({expect}) => {
    const main = around({'first-frame': 3474, connected: 4452, same: 4201, settled: 5631}, 1);
    const archive = around({'first-frame': 952, connected: 4241, same: 4212, settled: 3377}, 2);
    const {rows} = compareLaunches({name: 'main', launches: main}, {name: 'AppCDS', launches: archive});
    const said = rows
      .filter(({kind}) => kind === 'milestone')
      .map(({name, differenceMs, shift}) => [name, Math.round((differenceMs ?? 0) / 200) * 200, shift?.verdict]);
    expect(said).toEqual(
      expect.arrayContaining([
        ['first-frame', -2600, 'faster'],
        ['connected', -200, 'faster'],
        ['settled', -2200, 'faster'],
        ['same', expect.any(Number), 'no difference shown'],
      ]),
    );
  });

  test('has no figure that is not a number, whatever records say', ({expect}) => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const side = (from: number): readonly ReturnType<typeof profileLaunch>[] =>
        [0, 1, 2, 3, 4, 5].map((index) => profileLaunch(randomRecord(from + index)));
      const compared = compareLaunches({name: 'a', launches: side(seed)}, {name: 'b', launches: side(seed + 50)});
      const text = JSON.stringify(compared, (_, value: unknown) =>
        typeof value === 'number' && !Number.isFinite(value) ? 'NOT FINITE' : value,
      );
      expect(text, `seed ${seed}`).not.toContain('NOT FINITE');
    }
  });

  test('leaves out launches that never started and says how many', ({expect}) => {
    const good = profileLaunch(makeRecord());
    const bad = profileLaunch(makeRecord({outcome: {kind: 'lost'}}));
    const {a, rows} = compareLaunches({name: 'a', launches: [good, bad]}, {name: 'b', launches: [good]});
    expect([a.launches.length, a.leftOut]).toEqual([1, 1]);
    expect(rows.find(({name}) => name === 'total')?.a?.n).toBe(1);
  });

  test('says that warm is compared with cold', ({expect}) => {
    const [warm, cold] = (['warm', 'cold'] as const).map((temperature) => profileLaunch(makeRecord({temperature})));
    const {cautions} = compareLaunches({name: 'a', launches: [warm!]}, {name: 'b', launches: [cold!]});
    expect(cautions).toContain('warm or cold: A is warm, B is cold');
  });
});
