import {describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import type {LaunchProfile} from '../../../src/profile/launch-profile.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {makeRecord, makeStep, phases, spans} from '../record/sample-record.js';
import {micros, randomRecord, sum} from './random-record.js';

const row = (profile: LaunchProfile, name: string) => profile.phases.find((phase) => phase.name === name);

/** A launch of agent-vm, cold: the figures of the published profile. */
const vm = makeRecord({
  verb: 'shell',
  runtime: 'agent-vm',
  total: ms(4140),
  phases: phases([
    ['client', 0, 40],
    ['pre-boot', 40, 2270],
    ['boot', 2270, 3790],
    ['run', 3790, 4090],
    ['teardown', 4090, 4140],
  ]),
  spans: spans([
    ['front start', 0, 38],
    ['planning', 40, 45],
    ['session+reap', 50, 60],
    ['update-check', 60, 900],
    ['repo-detect', 900, 950],
    ['secrets', 950, 960],
    ['gh api user', 960, 2260],
    ['build', 2260, 2270],
    ['create', 2270, 3790],
    ['run', 3790, 4090],
    ['stop', 4090, 4120],
    ['remove', 4120, 4140],
  ]),
});

describe('the phases of a profile', () => {
  test('and what lies in none of them add up to the total, whatever a record says', ({expect}) => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const record = randomRecord(seed);
      const profile = profileLaunch(record);
      const durations = profile.phases.map(({durationMs}) => durationMs);
      expect(sum(durations.map(micros)), `seed ${seed}`).toBe(Math.max(0, micros(record.total)));
      expect(Math.min(...durations), `seed ${seed}`).toBeGreaterThanOrEqual(0);
      expect(profile.phases.at(-1)?.name, `seed ${seed}`).toBe('unattributed');
    }
  });

  test('have shares that add up to one', ({expect}) => {
    expect(sum(profileLaunch(vm).phases.map(({share}) => share))).toBeCloseTo(1, 12);
  });

  test('of a launch that took no time have no shares', ({expect}) => {
    const profile = profileLaunch(makeRecord({total: ms(0)}));
    expect(profile.phases.map(({share}) => share)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('show a gap between them as unattributed', ({expect}) => {
    const profile = profileLaunch(
      makeRecord({
        total: ms(100),
        phases: phases([
          ['client', 0, 10],
          ['run', 25.5, 90],
        ]),
      }),
    );
    expect(row(profile, 'unattributed')?.durationMs).toBe(25.5);
  });

  test('come in whole microseconds, and none is a negative zero', ({expect}) => {
    const profile = profileLaunch(
      makeRecord({
        total: ms(100 / 3),
        phases: phases([
          ['client', -0.000_1, 20 / 3],
          ['run', 20 / 3, 100 / 3],
        ]),
        milestones: [{name: 'early', at: ms(-0.000_1)}],
      }),
    );
    expect(profile.phases.map(({durationMs}) => durationMs)).toEqual([6.667, 26.666, 0]);
    expect(profile.totalMs).toBe(33.333);
    expect([profile.phases[0]?.fromMs, profile.milestones[0]?.atMs]).toEqual([0, 0]);
  });

  test('that overlap are counted once', ({expect}) => {
    const profile = profileLaunch(
      makeRecord({
        phases: phases([
          ['client', 0, 30],
          ['pre-boot', 20, 100],
        ]),
      }),
    );
    expect(row(profile, 'pre-boot')).toMatchObject({fromMs: 30, durationMs: 70});
    expect(row(profile, 'unattributed')?.durationMs).toBe(0);
  });

  test('add up to the microsecond where fractions would not', ({expect}) => {
    const profile = profileLaunch(
      makeRecord({
        total: ms(0.3),
        phases: phases([
          ['client', 0, 0.1],
          ['pre-boot', 0.1, 0.2],
        ]),
      }),
    );
    expect(profile.phases.map(({durationMs}) => durationMs)).toEqual([0.1, 0.1, 0.1]);
  });
});

describe('below a phase', () => {
  test("stand the runtime's own spans, each where it lies", ({expect}) => {
    const profile = profileLaunch(vm);
    const named = profile.phases.map(({name, spans}) => [name, spans.map((span) => span.name).join(', ')]);
    expect(named).toEqual([
      ['client', 'front start'],
      ['pre-boot', 'planning, session+reap, update-check, repo-detect, secrets, gh api user, build'],
      ['boot', 'create'],
      ['run', 'run'],
      ['teardown', 'stop, remove'],
      ['unattributed', ''],
    ]);
  });

  test('stands the time that no span explains', ({expect}) => {
    const profile = profileLaunch(vm);
    expect(row(profile, 'client')?.otherMs).toBe(2);
    expect(row(profile, 'pre-boot')?.otherMs).toBe(5);
    expect(row(profile, 'boot')?.otherMs).toBe(0);
  });

  test('a needed step explains time, a check does not: nobody waits for it', ({expect}) => {
    const other = (barrier: 'run' | 'none'): number | undefined =>
      row(profileLaunch(makeRecord({steps: [makeStep('a/b', 12, 18, {barrier})]})), 'pre-boot')?.otherMs;
    expect([other('run'), other('none')]).toEqual([4, 10]);
  });

  test('time that is explained twice is counted once', ({expect}) => {
    const record = makeRecord({
      spans: spans([
        ['a', 10, 15],
        ['b', 12, 17],
      ]),
      steps: [makeStep('a/b', 11, 18)],
    });
    expect(row(profileLaunch(record), 'pre-boot')?.otherMs).toBe(2);
  });

  test('spans that share time are marked, those that only meet are not', ({expect}) => {
    const record = makeRecord({
      spans: spans([
        ['a', 21, 30],
        ['b', 29, 40],
        ['c', 40, 50],
        ['d', 60, 90],
        ['e', 61, 62],
        ['f', 70, 80],
        ['empty', 75, 75],
      ]),
    });
    const found = row(profileLaunch(record), 'run')?.spans.map(({name, overlaps}) => `${name} ${overlaps}`);
    expect(found).toEqual(['a true', 'b true', 'c false', 'd true', 'e true', 'f true', 'empty false']);
  });

  test('a span that reaches into the next phase stands where most of it lies', ({expect}) => {
    const profile = profileLaunch(makeRecord({spans: spans([['x', 15, 60]])}));
    expect(row(profile, 'pre-boot')?.spans).toEqual([]);
    expect(row(profile, 'run')?.spans).toEqual([{name: 'x', fromMs: 15, durationMs: 45, overlaps: false}]);
    const early = profileLaunch(makeRecord({spans: spans([['y', 11, 22]])}));
    expect(row(early, 'pre-boot')?.spans.map(({name}) => name)).toEqual(['y']);
  });

  test('no span is lost, and no explained time exceeds its phase, whatever a record says', ({expect}) => {
    for (let seed = 1; seed <= 1000; seed += 1) {
      const record = randomRecord(seed);
      const rows = profileLaunch(record).phases;
      expect(sum(rows.map(({spans}) => spans.length)), `seed ${seed}`).toBe(record.spans.length);
      for (const {otherMs, durationMs} of rows) {
        expect(otherMs).toBeGreaterThanOrEqual(0);
        expect(otherMs).toBeLessThanOrEqual(durationMs);
      }
    }
  });
});

describe('the figures of a profile', () => {
  test('TOTAL pre-boot runs from the exec of our command until boot begins', ({expect}) => {
    expect(profileLaunch(vm)).toMatchObject({preBootMs: 2270, readyMs: 3790, totalMs: 4140});
  });

  test('a total says what it runs to', ({expect}) => {
    const endpoint = (outcome: Parameters<typeof makeRecord>[0]) => profileLaunch(makeRecord(outcome)).endpoint;
    expect(endpoint({outcome: {kind: 'exited', code: 1}})).toBe('end-of-command');
    expect(endpoint({outcome: {kind: 'killed', signal: 9}})).toBe('end-of-command');
    expect(endpoint({outcome: {kind: 'not-started', code: 127, detail: ''}})).toBe('failed-start');
    expect(endpoint({outcome: {kind: 'lost'}})).toBe('last-sign');
  });

  test('a target that never started never became ready', ({expect}) => {
    expect(profileLaunch(makeRecord({outcome: {kind: 'not-started', code: 127, detail: ''}})).readyMs).toBeNull();
  });

  test('milestones stand in the order of time, with their phase', ({expect}) => {
    const milestones = [
      {name: 'after', at: ms(200)},
      {name: 'end', at: ms(100)},
      {name: 'running', at: ms(20)},
      {name: 'known', at: ms(15)},
    ];
    expect(profileLaunch(makeRecord({milestones})).milestones).toEqual([
      {name: 'known', atMs: 15, phase: 'pre-boot'},
      {name: 'running', atMs: 20, phase: 'run'},
      {name: 'end', atMs: 100, phase: 'teardown'},
      {name: 'after', atMs: 200, phase: null},
    ]);
  });
});

describe('C10: the attribution of a boot', () => {
  test('counts what lies inside of another span once: the parts and the rest are the whole', ({expect}) => {
    const record = makeRecord({
      total: ms(897.7),
      phases: phases([['boot', 0, 897.7]]),
      spans: spans([
        ['import the server', 10, 464.4],
        ['of it: its framework', 20, 300],
        ['of it: its types', 100, 290],
        ['read the settings', 464.4, 595.3],
        ['open the store', 600, 722.5],
        ['bind', 722.5, 815.1],
      ]),
    });
    const boot = profileLaunch(record).phases.find(({name}) => name === 'boot');
    expect(boot?.spans.map(({durationMs, overlaps}) => [durationMs, overlaps])).toEqual([
      [454.4, true],
      [280, true],
      [190, true],
      [130.9, false],
      [122.5, false],
      [92.6, false],
    ]);
    expect(boot?.otherMs).toBe(97.3);
    expect(454.4 + 130.9 + 122.5 + 92.6 + (boot?.otherMs ?? 0)).toBeCloseTo(897.7, 6);
  });
});
