import {describe, test} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import type {Segment} from '../../../src/profile/launch-profile.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {makeRecord, makeStep, phases, spans} from '../record/sample-record.js';
import {micros, randomRecord, sum} from './random-record.js';

/** Segments as `name from-to`. */
const pathOf = (record: LaunchRecord): readonly string[] =>
  profileLaunch(record).criticalPath.map(({name, fromMs, durationMs}) => `${name} ${fromMs}-${fromMs + durationMs}`);

const cold = phases([
  ['client', 0, 10],
  ['pre-boot', 10, 520],
  ['boot', 520, 2000],
  ['run', 2000, 2400],
]);

describe('the critical path', () => {
  test('has consecutive segments that add up to the time until run begins, whatever a record says', ({expect}) => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const record = randomRecord(seed);
      const {criticalPath, readyMs, totalMs, phases: rows} = profileLaunch(record);
      const runBegins = rows.find(({name}) => name === 'run')?.fromMs ?? totalMs;
      expect(readyMs ?? runBegins, `seed ${seed}`).toBe(runBegins);
      let last = 0;
      for (const segment of criticalPath) {
        expect(micros(segment.fromMs), `seed ${seed}`).toBe(last);
        expect(segment.durationMs, `seed ${seed}`).toBeGreaterThan(0);
        last += micros(segment.durationMs);
      }
      expect(sum(criticalPath.map(({durationMs}) => micros(durationMs))), `seed ${seed}`).toBe(micros(runBegins));
    }
  });

  test('is the phases where nothing is known of their parts', ({expect}) => {
    expect(pathOf(makeRecord({total: ms(2400), phases: cold}))).toEqual([
      'client 0-10',
      'pre-boot 10-520',
      'boot 520-2000',
    ]);
  });

  test('leads through the step that ended last of those that were waited for', ({expect}) => {
    const steps = [
      makeStep('a', 15, 315),
      makeStep('b', 15, 315),
      makeStep('slowest', 15, 515),
      makeStep('check', 15, 519, {kind: 'check', barrier: 'none'}),
      makeStep('stored', 14, 519.5, {state: 'stale'}),
    ];
    expect(pathOf(makeRecord({total: ms(2400), phases: cold, steps, waited: ms(500)}))).toEqual([
      'client 0-10',
      'pre-boot 10-15',
      'slowest 15-515',
      'pre-boot 515-520',
      'boot 520-2000',
    ]);
  });

  test('leads through no step when nothing was waited for', ({expect}) => {
    expect(pathOf(makeRecord({total: ms(2400), phases: cold, steps: [makeStep('a', 15, 315)]}))).not.toContain(
      'a 15-315',
    );
  });

  test('names a step that ran into the budget', ({expect}) => {
    const steps = [makeStep('late', 15, 515, {state: 'deferred'})];
    expect(pathOf(makeRecord({total: ms(2400), phases: cold, steps, waited: ms(500)}))).toContain('late 15-515');
  });

  test("shows the runtime's own parts around it, and the rest between them", ({expect}) => {
    const record = makeRecord({
      total: ms(2400),
      phases: cold,
      waited: ms(80),
      steps: [makeStep('a/b', 20, 100)],
      spans: spans([
        ['front start', 0, 8],
        ['planning', 12, 105],
        ['session+reap', 110, 150],
        ['gh api user', 150, 520],
        ['inside', 200, 300],
        ['create', 520, 1900],
      ]),
    });
    expect(pathOf(record)).toEqual([
      'front start 0-8',
      'rest of client 8-10',
      'rest of pre-boot 10-12',
      'planning 12-20',
      'a/b 20-100',
      'planning 100-105',
      'rest of pre-boot 105-110',
      'session+reap 110-150',
      'gh api user 150-520',
      'create 520-1900',
      'rest of boot 1900-2000',
    ]);
  });

  test('shows a gap between phases as unattributed', ({expect}) => {
    const gap = phases([
      ['client', 0, 10],
      ['boot', 30, 40],
      ['run', 45, 100],
    ]);
    const path: readonly Segment[] = profileLaunch(makeRecord({phases: gap})).criticalPath;
    expect(path.map(({name, phase, durationMs}) => [name, phase, durationMs])).toEqual([
      ['client', 'client', 10],
      ['unattributed', 'unattributed', 20],
      ['boot', 'boot', 10],
      ['unattributed', 'unattributed', 5],
    ]);
  });

  test('of a target that never started leads to the failure', ({expect}) => {
    const failed = makeRecord({
      total: ms(50),
      phases: phases([
        ['client', 0, 10],
        ['pre-boot', 10, 50],
        ['boot', 50, 50],
        ['run', 50, 50],
        ['teardown', 50, 50],
      ]),
      outcome: {kind: 'not-started', code: 127, detail: 'command not found'},
    });
    expect(pathOf(failed)).toEqual(['client 0-10', 'pre-boot 10-50']);
  });
});
