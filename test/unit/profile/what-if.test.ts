import {describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import {blameOf} from '../../../src/profile/blame.js';
import {parseAssumption, whatIf} from '../../../src/profile/what-if.js';
import {makeRecord, makeStep, phases, spans} from '../record/sample-record.js';
import {micros, randomRecord, seeded, sum} from './random-record.js';

const assume = (...texts: readonly string[]) =>
  texts.map((text) => {
    const parsed = parseAssumption(text);
    if (!parsed.ok) throw new Error(parsed.detail);
    return parsed.value;
  });

/** Three needed steps from 10 on, to 310, 210 and 510; planned by 512; ready at 2000. */
const cold = makeRecord({
  total: ms(2400),
  temperature: 'cold',
  phases: phases([
    ['client', 0, 8],
    ['pre-boot', 8, 513],
    ['boot', 513, 2000],
    ['run', 2000, 2400],
  ]),
  steps: [
    makeStep('a/middle', 10, 310),
    makeStep('a/short', 10, 210, {barrier: 'boot'}),
    makeStep('b/slow[x=1]', 10, 510, {
      spans: spans([
        ['connect', 50, 150],
        ['request', 150, 450],
      ]),
    }),
    makeStep('c/check', 10, 900, {kind: 'check', barrier: 'none', state: 'not-waited'}),
  ],
  spans: spans([['planning', 9, 512]]),
  milestones: [{name: 'agent-ready', at: ms(1990)}],
  waited: ms(500),
});

const readyWith = (...texts: readonly string[]): number => whatIf(cold, assume(...texts)).assumedReadyMs;

describe('what if', () => {
  test('a step took no time: the next longest decides', ({expect}) => {
    expect(readyWith('b/slow[x=1]=0')).toBe(1800);
    expect(readyWith('a/middle=0')).toBe(2000);
    expect(readyWith('b/slow[x=1]=0', 'a/middle=0')).toBe(1700);
    expect(readyWith('b/slow[x=1]=0', 'a/middle=0', 'short=0')).toBe(1500);
    expect(readyWith('c/check=0')).toBe(2000);
  });

  test('nothing is gained beyond what the launch was held for', ({expect}) => {
    const busy = {...cold, waited: ms(300)};
    expect(whatIf(busy, assume('slow[x=1]=0', 'middle=0', 'short=0')).differenceMs).toBe(-300);
  });

  test('a step took longer: nobody notices until it is the last', ({expect}) => {
    expect(readyWith('a/middle=+200')).toBe(2000);
    expect(readyWith('middle=+250')).toBe(2050);
    expect(readyWith('middle=1s')).toBe(2500);
    expect(readyWith('c/check=+5000')).toBe(2000);
  });

  test('a phase took another time: what comes behind moves along', ({expect}) => {
    expect(readyWith('boot=-300')).toBe(1700);
    expect(readyWith('boot=0')).toBe(513);
    expect(readyWith('client=+10')).toBe(2010);
  });

  test('leads the critical path through the step that is the last one then', ({expect}) => {
    const {assumedCriticalPath, criticalPath} = whatIf(cold, assume('slow[x=1]=0'));
    expect(criticalPath.map(({name}) => name)).toContain('b/slow[x=1]');
    expect(assumedCriticalPath.map(({name}) => name)).toContain('a/middle');
    expect(assumedCriticalPath.map(({name}) => name)).not.toContain('b/slow[x=1]');
    expect(sum(assumedCriticalPath.map(({durationMs}) => micros(durationMs)))).toBe(micros(1800));
  });

  test('a stored answer took its time after all', ({expect}) => {
    const warm = makeRecord({steps: [makeStep('a/b', 12, 12.1, {state: 'fresh'})], waited: ms(0.1)});
    const changed = whatIf(warm, assume('b=50'));
    expect([changed.readyMs, changed.assumedReadyMs]).toEqual([20, 69.9]);
    expect(changed.assumedCriticalPath.map(({name}) => name)).toContain('a/b');
  });

  test('says what each step is worth and by how much it may grow, and both come true', ({expect}) => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seeded(seed);
      const steps = Array.from({length: 1 + Math.floor(random() * 5)}, (_, index) =>
        makeStep(`p/s${index}`, 10 + Math.floor(random() * 5), 20 + Math.floor(random() * 480)),
      );
      const last = Math.max(...steps.map(({to}) => to));
      const record = {...cold, steps, waited: ms(last - 10)};
      for (const room of whatIf(record, []).steps) {
        const ready = (text: string): number => whatIf(record, assume(text)).differenceMs;
        expect(-ready(`${room.step}=0`), `seed ${seed} ${room.step}`).toBeCloseTo(room.ifFreeMs, 6);
        expect(ready(`${room.step}=+${room.slackMs}`), `seed ${seed} ${room.step}`).toBe(0);
        expect(ready(`${room.step}=+${room.slackMs + 1}`), `seed ${seed} ${room.step}`).toBeGreaterThan(0);
      }
    }
  });

  test('nothing is assumed, nothing changes, whatever a record says', ({expect}) => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const same = whatIf(randomRecord(seed), []);
      expect(same.differenceMs).toBe(0);
      expect(same.assumedCriticalPath).toEqual(same.criticalPath);
    }
  });

  test('is refused where it assumes nothing', ({expect}) => {
    for (const text of ['', 'a', 'a=', '=5', 'a=x', 'a=1e9', 'a=--5', 'a=+-5', 'a=5min']) {
      expect(parseAssumption(text).ok, text).toBe(false);
    }
  });
});

describe('blame', () => {
  test('parts own work from waiting, for steps and for phases', ({expect}) => {
    const {steps, phases: rows} = blameOf([cold]);
    expect(steps.map(({step}) => step)).toEqual(['b/slow[x=1]', 'a/middle', 'a/short', 'c/check']);
    expect(steps[0]).toEqual({
      step: 'b/slow[x=1]',
      n: 1,
      ranMs: 500,
      ownMs: 400,
      waitingMs: 100,
      heldMs: 500,
      aloneMs: 200,
      besideMs: 0,
    });
    expect(steps[1]).toMatchObject({ownMs: null, waitingMs: null, heldMs: 300, aloneMs: 0});
    expect(steps[3]).toMatchObject({heldMs: 0, aloneMs: 0, besideMs: 890});
    expect(rows[1]).toEqual({name: 'pre-boot', durationMs: 505, waitingMs: 500, ownMs: 5});
  });

  test('never blames a launch for more than it was held, whatever a record says', ({expect}) => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const record = randomRecord(seed);
      const {steps} = blameOf([record]);
      const alone = sum(steps.map(({aloneMs}) => micros(aloneMs)));
      expect(alone, `seed ${seed}`).toBeLessThanOrEqual(Math.max(0, micros(record.waited)));
      for (const {ranMs, heldMs, besideMs} of steps) {
        expect(micros(heldMs) + micros(besideMs), `seed ${seed}`).toBe(micros(ranMs));
      }
    }
  });
});
