import {describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {profileTrace} from '../../../src/views/profile-trace.js';
import {type TraceEvent, traceEvents, traceFaults} from '../../rig/trace-format.js';
import {randomRecord} from '../profile/random-record.js';
import {makeRecord, makeStep, spans, wallTime} from '../record/sample-record.js';

/** `track: name from-to`, for each complete event. */
const pieces = (text: string): readonly string[] => {
  const events = traceEvents(text);
  const track = ({pid, tid}: TraceEvent): unknown =>
    events.find((event) => event.name === 'thread_name' && event.pid === pid && event.tid === tid)?.args?.['name'];
  return events
    .filter(({ph}) => ph === 'X')
    .map((event) => `${String(track(event))}: ${event.name} ${event.ts}-${event.ts + (event.dur ?? 0)}`);
};

describe('a trace', () => {
  test('keeps to the published format, whatever a record says', ({expect}) => {
    for (let seed = 1; seed <= 600; seed += 1) {
      const faults = traceFaults(profileTrace([profileLaunch(randomRecord(seed))]));
      expect(faults, `seed ${seed}`).toEqual([]);
    }
  });

  test('has phases, spans and each step on tracks of their own, and milestones as instants', ({expect}) => {
    const record = makeRecord({
      spans: spans([
        ['planning', 10, 19],
        ['create', 12, 15],
        ['late', 14, 30],
      ]),
      steps: [
        makeStep('a/one', 11, 19, {
          spans: spans([
            ['connect', 12, 14],
            ['request', 13, 18],
          ]),
        }),
        makeStep('b/two', 11, 19),
      ],
      milestones: [{name: 'agent-ready', at: ms(21.5)}],
    });
    const text = profileTrace([profileLaunch(record)]);
    expect(pieces(text)).toEqual([
      'phases: client 0-10000',
      'phases: pre-boot 10000-20000',
      'phases: run 20000-90000',
      'phases: teardown 90000-100000',
      expect.stringMatching(/^critical path: client 0-10000/),
      expect.stringMatching(/^critical path: planning/),
      expect.stringMatching(/^critical path: late/),
      'in phases: planning 10000-19000',
      'in phases: create 12000-15000',
      'in phases, 2: late 14000-30000',
      'a/one: a/one 11000-19000',
      'a/one: connect 12000-14000',
      'a/one, parts 2: request 13000-18000',
      'b/two: b/two 11000-19000',
    ]);
    expect(traceEvents(text).filter(({ph}) => ph === 'i')).toEqual([
      {name: 'agent-ready', cat: 'milestone', ph: 'i', s: 'p', pid: 1, tid: 1, ts: 21500},
    ]);
  });

  test('has each launch as a process, as far behind the first as it began', ({expect}) => {
    const at = 1_796_056_809_764;
    const both = [makeRecord({at: wallTime(at + 2500)}), makeRecord({at: wallTime(at)})].map(profileLaunch);
    const starts = traceEvents(profileTrace(both))
      .filter(({ph, name}) => ph === 'X' && name === 'run')
      .map(({pid, ts}) => [pid, ts]);
    expect(starts).toEqual([
      [1, 20_000],
      [2, 2_520_000],
    ]);
  });
});

describe('the check of the format', () => {
  const event = {name: 'x', ph: 'X', pid: 1, tid: 1, ts: 0, dur: 10};
  const names = [
    {name: 'process_name', ph: 'M', pid: 1, tid: 0, ts: 0, args: {name: 'p'}},
    {name: 'thread_name', ph: 'M', pid: 1, tid: 1, ts: 0, args: {name: 't'}},
  ];
  const faults = (...events: readonly object[]): readonly string[] =>
    traceFaults(JSON.stringify({traceEvents: [...names, ...events]}));

  test('finds what is wrong', ({expect}) => {
    expect(faults(event)).toEqual([]);
    expect(faults({...event, dur: -1})).toHaveLength(1);
    expect(faults({...event, ts: 0.5})).toHaveLength(1);
    expect(faults({...event, ph: 'i'})).toHaveLength(2);
    expect(faults({...event, tid: 2})).toEqual(['x is on a track without a name']);
    expect(faults(event, {...event, name: 'y', ts: 5})).toEqual(['thread 1/1: y begins inside x and ends after it']);
    expect(faults(event, {...event, name: 'y', ts: 10})).toEqual([]);
  });
});
