import * as v from 'valibot';
import type {LaunchRecord} from '../model/record.js';
import type {LaunchId, Milliseconds, WallTime} from '../model/units.js';

/** A number within ± `most`: what lies beyond would break sums of microseconds, or is no date. */
const within = <T extends number>(most: number) =>
  v.pipe(
    v.number(),
    v.minValue(-most),
    v.maxValue(most),
    v.transform((value) => value as T),
  );
/** Milliseconds; 30 years are enough for any launch. */
const time = within<Milliseconds>(1e12);
const interval = {from: time, to: time};
const named = v.object({name: v.string(), ...interval});

const step = v.object({
  step: v.string(),
  kind: v.picklist(['lookup', 'check', 'secret', 'action']),
  barrier: v.picklist(['boot', 'run', 'first-use', 'none']),
  state: v.picklist(['fresh', 'stale', 'read', 'failed', 'timed-out', 'deferred', 'not-waited', 'not-used', 'skipped']),
  ...interval,
  cost: time,
  reason: v.optional(v.string()),
  detail: v.optional(v.string()),
  spans: v.array(named),
});

const outcome = v.variant('kind', [
  v.object({kind: v.literal('exited'), code: v.number()}),
  v.object({kind: v.literal('killed'), signal: v.number()}),
  v.object({kind: v.literal('not-started'), code: v.number(), detail: v.string()}),
  v.object({kind: v.literal('lost')}),
]);

const optimization = v.object({
  name: v.string(),
  state: v.picklist(['used', 'held-back', 'learning', 'not-prepared', 'switched-off', 'left-out']),
  subject: v.string(),
  label: v.string(),
  said: v.optional(v.unknown()),
  ahead: v.optional(time),
});

const record = v.object({
  v: v.literal(1),
  id: v.pipe(
    v.string(),
    v.regex(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    v.transform((text) => text as LaunchId),
  ),
  at: within<WallTime>(8.64e15),
  build: v.string(),
  front: v.string(),
  via: v.picklist(['daemon', 'in-process']),
  viaReason: v.optional(v.string()),
  verb: v.string(),
  runtime: v.string(),
  runtimeVersion: v.optional(v.string()),
  target: v.string(),
  cwd: v.string(),
  temperature: v.picklist(['warm', 'cold', 'mixed']),
  standby: v.optional(v.literal(true)),
  total: time,
  phases: v.array(v.object({name: v.picklist(['client', 'pre-boot', 'boot', 'run', 'teardown']), ...interval})),
  steps: v.array(step),
  milestones: v.array(v.object({name: v.string(), at: time})),
  spans: v.array(named),
  optimizations: v.optional(v.array(optimization)),
  waited: time,
  outcome,
  notes: v.array(v.string()),
});

/** One line of the log as a launch, or undefined for a torn or foreign line. */
export const parseRecord = (line: string): LaunchRecord | undefined => {
  try {
    const result = v.safeParse(record, JSON.parse(line));
    return result.success ? (result.output as LaunchRecord) : undefined;
  } catch {
    return undefined;
  }
};
