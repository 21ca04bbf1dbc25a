import * as v from 'valibot';
import type {BenchResult} from './result.js';

const finite = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const texts = v.array(v.string());
const figures = v.record(v.string(), finite);
const moment = v.pipe(v.string(), v.isoTimestamp());

const milestone = v.looseObject({name: v.string(), at: finite, source: v.picklist(['target', 'outside'])});

const run = v.looseObject({
  variant: v.string(),
  round: count,
  place: count,
  startedAt: finite,
  state: v.picklist(['ok', 'failed', 'unsettled']),
  milestones: v.array(milestone),
  metrics: figures,
  counts: figures,
  spans: v.array(v.looseObject({name: v.string(), from: finite, to: finite})),
  memoryKiB: v.nullable(finite),
});

const variant = v.looseObject({
  name: v.string(),
  command: texts,
  env: v.record(v.string(), v.nullable(v.string())),
  cwd: v.string(),
  temperature: texts,
});

/** What everything that is said of a bench rests on. Fields that a later build adds are no fault. */
const schema = v.looseObject({
  v: v.literal(1),
  id: v.string(),
  title: v.string(),
  at: moment,
  build: v.string(),
  host: v.looseObject({id: v.string(), cpu: v.string(), cores: finite, system: v.string()}),
  state: v.picklist(['running', 'complete', 'interrupted']),
  variants: v.pipe(v.array(variant), v.minLength(1)),
  base: v.string(),
  rounds: count,
  warmups: count,
  seed: finite,
  endpoint: v.string(),
  until: texts,
  marks: texts,
  order: v.array(texts),
  runs: v.array(run),
});

/** Is it a bench as we keep them, and not a file that was damaged or written by somebody else? */
export const isBenchResult = (value: unknown): value is BenchResult => v.is(schema, value);
