import {describe, test} from 'vitest';
import type {StepState} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {makeRecord, makeStep, spans} from '../record/sample-record.js';

const stepsOf = (...steps: readonly ReturnType<typeof makeStep>[]) => profileLaunch(makeRecord({steps})).steps;

describe('the steps of a profile', () => {
  test('stand by their start, the longest of those that start together first', ({expect}) => {
    const found = stepsOf(makeStep('late', 14, 15), makeStep('short', 11, 12), makeStep('long', 11, 19));
    expect(found.map(({step, fromMs, durationMs}) => [step, fromMs, durationMs])).toEqual([
      ['long', 11, 8],
      ['short', 11, 1],
      ['late', 14, 1],
    ]);
  });

  test('that ran beside others are marked', ({expect}) => {
    // B3: 300, 300 and 500 ms together, then a serial one of 200 ms, and a stored one.
    const found = stepsOf(
      makeStep('a', 0, 300),
      makeStep('b', 0, 300),
      makeStep('c', 0, 500),
      makeStep('serial', 500, 700),
      makeStep('stored', 700, 700, {state: 'fresh', cost: 900}),
    );
    expect(found.filter(({overlaps}) => overlaps).map(({step}) => step)).toEqual(['c', 'a', 'b']);
  });

  test('keep the state they were recorded with', ({expect}) => {
    const states: readonly StepState[] = [
      'fresh',
      'stale',
      'read',
      'failed',
      'timed-out',
      'deferred',
      'not-waited',
      'skipped',
    ];
    const found = stepsOf(...states.map((state, index) => makeStep(state, index, index + 1, {state})));
    expect(found.map(({state}) => state)).toEqual(states);
  });

  test('spare what asking takes, less the look at the store, only where an answer was stored', ({expect}) => {
    const spared = (state: StepState): number | undefined =>
      stepsOf(makeStep('a', 10, 10.25, {state, cost: 1290}))[0]?.sparedMs;
    expect([spared('fresh'), spared('stale'), spared('read'), spared('failed')]).toEqual([1289.75, 1289.75, 0, 0]);
  });

  test('never spare less than nothing', ({expect}) => {
    expect(stepsOf(makeStep('a', 10, 15, {state: 'fresh', cost: 1}))[0]?.sparedMs).toBe(0);
  });

  test('name what waits for them: nothing waits for a check', ({expect}) => {
    const found = stepsOf(makeStep('a', 0, 1, {barrier: 'none', kind: 'check'}), makeStep('b', 2, 3));
    expect(found.map(({neededBy}) => neededBy)).toEqual([null, 'run']);
  });

  test('carry the parts their plugin timed', ({expect}) => {
    const parts = spans([
      ['second', 12, 14],
      ['first', 11, 12],
    ]);
    expect(stepsOf(makeStep('a', 10, 15, {spans: parts}))[0]?.spans).toEqual([
      {name: 'first', fromMs: 11, durationMs: 1, overlaps: false},
      {name: 'second', fromMs: 12, durationMs: 2, overlaps: false},
    ]);
  });

  test('of the kinds look-up and check make up what the cache was good for', ({expect}) => {
    const profile = profileLaunch(
      makeRecord({
        waited: ms(4),
        steps: [
          makeStep('a', 0, 0, {state: 'fresh', cost: 1290}),
          makeStep('b', 0, 0, {kind: 'check', barrier: 'none', state: 'fresh', cost: 927}),
          makeStep('c', 0, 50, {kind: 'secret'}),
          makeStep('d', 0, 60, {kind: 'action'}),
        ],
      }),
    );
    expect([profile.waitedMs, profile.lookupsMs]).toEqual([4, 2217]);
  });
});
