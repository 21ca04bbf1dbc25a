import {describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import {changePoints} from '../../../src/profile/change-points.js';
import {historyOf} from '../../../src/profile/launch-history.js';
import {type LaunchRow, rowOf} from '../../../src/profile/launch-row.js';
import {makeRecord, phases, wallTime} from '../record/sample-record.js';
import {seeded} from './random-record.js';

/** Times around a level: a tenth up or down, and now and then a wild one. */
const noisy = (random: () => number, level: number, count: number): readonly number[] =>
  Array.from({length: count}, () => level * (0.9 + 0.2 * random()) * (random() < 0.03 ? 5 : 1));

describe('changes in a row of times', () => {
  test('are not found where there are none: fewer than one alarm in a hundred rows', ({expect}) => {
    let alarms = 0;
    for (let seed = 1; seed <= 1000; seed += 1) {
      const random = seeded(seed);
      alarms += changePoints(noisy(random, 100, 20 + Math.floor(random() * 200))).length;
    }
    expect(alarms).toBeLessThan(10);
  });

  test('are found where they are, to a few launches, up and down again', ({expect}) => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seeded(seed);
      const values = [...noisy(random, 100, 80), ...noisy(random, 150, 60), ...noisy(random, 90, 40)];
      const found = changePoints(values);
      expect(found, `seed ${seed}`).toHaveLength(2);
      expect(Math.abs((found[0]?.at ?? 0) - 80), `seed ${seed}`).toBeLessThanOrEqual(3);
      expect(Math.abs((found[1]?.at ?? 0) - 140), `seed ${seed}`).toBeLessThanOrEqual(3);
    }
  });

  test('are found at the end after a dozen launches of the new level', ({expect}) => {
    const random = seeded(7);
    const before = noisy(random, 32, 400);
    expect(changePoints([...before, ...noisy(random, 1322, 12)]).map(({at}) => at)).toEqual([400]);
    expect(changePoints([...before, ...noisy(random, 1322, 3)])).toEqual([]);
  });

  test('are the same however often one looks, and none in a few values, equal values or none', ({expect}) => {
    const values = [...noisy(seeded(3), 10, 50), ...noisy(seeded(4), 20, 50)];
    expect(changePoints(values)).toEqual(changePoints([...values]));
    for (const few of [[], [1], [1, 1, 1, 9, 9, 9, 9, 9], Array(200).fill(5)]) expect(changePoints(few)).toEqual([]);
  });

  test('are none when they are of no use: less than 5 %, or less than a millisecond', ({expect}) => {
    const steady = (level: number): readonly number[] =>
      Array.from({length: 100}, (_, index) => level + index / 10_000);
    expect(changePoints([...steady(100), ...steady(104)])).toEqual([]);
    expect(changePoints([...steady(100), ...steady(106)])).toHaveLength(1);
    expect(changePoints([...steady(0.2), ...steady(1.1)])).toEqual([]);
  });
});

describe('a history', () => {
  const launch = (index: number, preBoot: number, version: string | undefined): LaunchRow =>
    rowOf(
      makeRecord({
        at: wallTime(1_796_056_809_764 + index * 60_000),
        runtime: 'agent-vm',
        ...(version === undefined ? {} : {runtimeVersion: version}),
        total: ms(9000),
        phases: phases([
          ['client', 0, 1],
          ['pre-boot', 1, 1 + preBoot],
          ['boot', 1 + preBoot, 3000],
          ['run', 3000, 9000],
        ]),
      }),
      () => 0,
    );
  const rows = (change: (index: number) => LaunchRow): readonly LaunchRow[] =>
    Array.from({length: 60}, (_, index) => change(index));

  test('names a change after the release of the runtime that came with it', ({expect}) => {
    const slower = rows((index) =>
      launch(index, index < 40 ? 32 + index / 100 : 1322 + index / 100, index < 41 ? '0.1.13' : '0.1.14'),
    );
    const {changes, levels} = historyOf(slower, 'pre-boot');
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({
      launch: slower[40]?.id,
      since: {kind: 'runtime-version', runtime: 'agent-vm', from: '0.1.13', to: '0.1.14'},
    });
    expect(Math.round(changes[0]?.differenceMs ?? 0)).toBe(1290);
    expect(levels.map(({n}) => n)).toEqual([40, 20]);
  });

  test('names no release that came at another time, or is not known', ({expect}) => {
    const preBoot = (index: number): number => (index < 40 ? 32 : 132);
    expect(
      historyOf(
        rows((index) => launch(index, preBoot(index), index < 20 ? 'a' : 'b')),
        'pre-boot',
      ).changes[0]?.since,
    ).toBeNull();
    expect(
      historyOf(
        rows((index) => launch(index, preBoot(index), undefined)),
        'pre-boot',
      ).changes[0]?.since,
    ).toBeNull();
  });

  test('leaves launches without the metric out, and has no figures where there are none', ({expect}) => {
    const notStarted = rowOf(makeRecord({outcome: {kind: 'not-started', code: 127, detail: ''}}), () => 0);
    expect(historyOf([notStarted], 'ready')).toEqual({metric: 'ready', all: null, levels: [], changes: [], values: []});
  });
});
