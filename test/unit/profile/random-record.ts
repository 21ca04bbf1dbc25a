import type {LaunchRecord, PhaseName, StepRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {makeRecord, makeStep} from '../record/sample-record.js';

/** Numbers from 0 to 1 that depend on nothing but the seed (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const names: readonly PhaseName[] = ['client', 'pre-boot', 'boot', 'run', 'teardown'];
const states: readonly StepRecord['state'][] = [
  'fresh',
  'stale',
  'read',
  'failed',
  'timed-out',
  'deferred',
  'not-waited',
  'skipped',
];

/**
 * Any record that parses: phases that leave gaps, overlap, run backwards or beyond the total, are missing or doubled; spans
 * and steps anywhere. Half of them are orderly.
 */
export const randomRecord = (seed: number): LaunchRecord => {
  const random = seeded(seed);
  const scale = 10 ** Math.floor(random() * 8);
  const time = (): number => Math.round((random() * 1.4 - 0.2) * scale * 1000) / 1000;
  const some = (most: number): readonly undefined[] => Array.from({length: Math.floor(random() * (most + 1))});
  const orderly = random() < 0.5;
  const total = orderly ? scale : time();
  const edges = Array.from({length: 6}, () => Math.round(random() * scale * 1000) / 1000).sort((a, b) => a - b);
  const pick = <Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  return makeRecord({
    total: ms(total),
    phases: orderly
      ? names.map((name, index) => ({name, from: ms(edges[index] ?? 0), to: ms(edges[index + 1] ?? 0)}))
      : some(7).map(() => ({name: pick(names), from: ms(time()), to: ms(time())})),
    spans: some(8).map((_, index) => ({name: `span ${index}`, from: ms(time()), to: ms(time())})),
    steps: some(6).map((_, index) =>
      makeStep(`plugin/step-${index}`, time(), time(), {
        kind: pick(['lookup', 'check', 'secret', 'action']),
        barrier: pick(['boot', 'run', 'none']),
        state: pick(states),
        cost: time(),
        spans: some(2).map(() => ({name: 'part', from: ms(time()), to: ms(time())})),
      }),
    ),
    milestones: some(4).map((_, index) => ({name: `milestone ${index}`, at: ms(time())})),
    waited: ms(time()),
    temperature: pick(['warm', 'cold', 'mixed']),
    outcome: pick<LaunchRecord['outcome']>([
      {kind: 'exited', code: 3},
      {kind: 'killed', signal: 9},
      {kind: 'not-started', code: 127, detail: 'command not found'},
      {kind: 'lost'},
    ]),
  });
};

/** Whole microseconds: what figures must add up in. */
export const micros = (milliseconds: number): number => Math.round(milliseconds * 1000);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
