import * as v from 'valibot';

const texts = v.pipe(v.array(v.string()), v.readonly());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * A variant as it is written, in a file or on the command line; what is absent is as in the first variant. The one list of
 * its fields: types, files and flags are made of it.
 */
export const variantSchema = v.strictObject({
  name: v.optional(v.string()),
  command: v.optional(texts),
  /** Null takes a variable out. */
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

/** A bench as it is written; durations in milliseconds. */
export const planSchema = v.strictObject({
  title: v.optional(v.string()),
  variants: v.pipe(v.array(variantSchema), v.readonly()),
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

type Written<T> = {readonly [Field in keyof T]: T[Field]};

export type WrittenVariant = Written<v.InferOutput<typeof variantSchema>>;

export type WrittenPlan = Written<Omit<v.InferOutput<typeof planSchema>, 'variants'>> & {
  readonly variants: readonly WrittenVariant[];
};
