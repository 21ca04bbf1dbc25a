import type {LaunchRecord, PhaseName, StepRecord} from '../../../src/model/record.js';
import {type Milliseconds, ms, type WallTime} from '../../../src/model/units.js';
import {newLaunchId} from '../../../src/record/launch-id.js';

export const wallTime = (at: number): WallTime => at as WallTime;

/** A launch of 100 ms that ran for 70 of them, with no steps. */
export const makeRecord = (changes: Partial<LaunchRecord> = {}): LaunchRecord => {
  const at = changes.at ?? wallTime(1_796_056_809_764);
  return {
    v: 1,
    id: newLaunchId(at),
    at,
    build: '0.1.0+1.00000000',
    front: 'node',
    via: 'daemon',
    verb: 'run',
    runtime: 'process',
    target: 'true',
    cwd: '/work',
    temperature: 'warm',
    total: ms(100),
    phases: phases([
      ['client', 0, 10],
      ['pre-boot', 10, 20],
      ['boot', 20, 20],
      ['run', 20, 90],
      ['teardown', 90, 100],
    ]),
    steps: [],
    milestones: [],
    spans: [],
    waited: ms(0),
    outcome: {kind: 'exited', code: 0},
    notes: [],
    ...changes,
  };
};

type Item<Name extends string> = readonly [name: Name, from: number, to: number];
type Named<Name extends string> = {readonly name: Name; readonly from: Milliseconds; readonly to: Milliseconds};

/** Spans as `[name, from, to]`, in milliseconds. */
export const spans = <Name extends string>(items: readonly Item<Name>[]): readonly Named<Name>[] =>
  items.map(([name, from, to]) => ({name, from: ms(from), to: ms(to)}));

export const phases = (items: readonly Item<PhaseName>[]): LaunchRecord['phases'] => spans(items);

/** A look-up that was asked from `from` to `to` and that run waits for. */
export const makeStep = (
  step: string,
  from: number,
  to: number,
  changes: Partial<Omit<StepRecord, 'cost'>> & {readonly cost?: number} = {},
): StepRecord => ({
  step,
  kind: 'lookup',
  barrier: 'run',
  state: 'read',
  from: ms(from),
  to: ms(to),
  spans: [],
  ...changes,
  cost: ms(changes.cost ?? to - from),
});
