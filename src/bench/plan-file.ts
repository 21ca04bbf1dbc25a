import {readFileSync} from 'node:fs';
import * as v from 'valibot';
import {done, failed, type Result} from '../model/failure.js';
import type {WrittenPlan} from './make-plan.js';

const texts = v.array(v.string());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const variantSchema = v.strictObject({
  name: v.optional(v.string()),
  command: v.optional(texts),
  env: v.optional(v.record(v.string(), v.nullable(v.string()))),
  cwd: v.optional(v.string()),
  prepare: v.optional(texts),
  cleanup: v.optional(texts),
  temperature: v.optional(texts),
  verb: v.optional(v.string()),
  runtime: v.optional(v.string()),
  memory: v.optional(v.string()),
  with: v.optional(texts),
  without: v.optional(texts),
});

const planSchema = v.strictObject({
  title: v.optional(v.string()),
  variants: v.array(variantSchema),
  base: v.optional(v.string()),
  rounds: v.optional(count),
  warmups: v.optional(count),
  seed: v.optional(count),
  until: v.optional(texts),
  marks: v.optional(texts),
  endpoint: v.optional(v.string()),
  limitMs: v.optional(count),
  graceMs: v.optional(count),
  threads: v.optional(v.boolean()),
});

/** A bench from a JSON value; the first thing that does not fit is named with its place. */
export const planFromJson = (value: unknown, origin: string): Result<WrittenPlan> => {
  const parsed = v.safeParse(planSchema, value);
  if (parsed.success) return done(parsed.output);
  const [issue] = parsed.issues;
  const place = v.getDotPath(issue) ?? 'the whole';
  return failed({reason: 'bad-argument', detail: `${origin}: ${place}: ${issue.message}`});
};

/** A bench from a JSON file. */
export const readPlanFile = (path: string): Result<WrittenPlan> => {
  try {
    return planFromJson(JSON.parse(readFileSync(path, 'utf8')), path);
  } catch (error) {
    return failed({reason: 'bad-argument', detail: `${path} cannot be read: ${(error as Error).message}`});
  }
};
