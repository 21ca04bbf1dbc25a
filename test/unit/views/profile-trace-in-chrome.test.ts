import {describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {profileTrace} from '../../../src/views/profile-trace.js';
import {readInChrome} from '../../rig/chrome-trace.js';
import {traceEvents} from '../../rig/trace-format.js';
import {randomRecord} from '../profile/random-record.js';
import {makeRecord, makeStep, spans, wallTime} from '../record/sample-record.js';

/** What was written, as it should be read: complete events with a length. */
const written = (text: string): readonly string[] =>
  traceEvents(text)
    .filter(({ph}) => ph === 'X')
    .map(({pid, tid, name, ts, dur}) => `${pid}/${tid} ${name} ${ts}+${dur ?? 0}`)
    .sort();

const read = async (text: string): Promise<readonly string[]> =>
  (await readInChrome(text))
    .map(({process, thread, name, from, duration}) => `${process}/${thread} ${name} ${from}+${duration}`)
    .sort();

describe('a trace in Chrome’s own trace engine', () => {
  test('has every slice where it was written, whatever a record says', async ({expect}) => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const text = profileTrace([profileLaunch(randomRecord(seed)), profileLaunch(randomRecord(seed + 1000))]);
      expect(await read(text), `seed ${seed}`).toEqual(written(text));
    }
  });

  test('has a track by name for phases and each step, with the parts of a step inside of it', async ({expect}) => {
    const record = makeRecord({
      at: wallTime(1_796_056_809_764),
      steps: [makeStep('a/one', 11, 19, {spans: spans([['connect', 12, 14]])}), makeStep('b/two', 11, 19)],
      milestones: [{name: 'agent-ready', at: ms(21.5)}],
    });
    const slices = await readInChrome(profileTrace([profileLaunch(record)]));
    const of = (track: string) =>
      slices
        .filter((slice) => slice.track === track)
        .map(({name, from, duration, depth}) => [name, from, from + duration, depth]);
    expect(of('phases')).toEqual([
      ['client', 0, 10_000, 0],
      ['pre-boot', 10_000, 20_000, 0],
      ['run', 20_000, 90_000, 0],
      ['teardown', 90_000, 100_000, 0],
    ]);
    expect(of('a/one')).toEqual([
      ['a/one', 11_000, 19_000, 0],
      ['connect', 12_000, 14_000, 1],
    ]);
    expect(of('b/two')).toEqual([['b/two', 11_000, 19_000, 0]]);
  });
});
