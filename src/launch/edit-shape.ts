import * as v from 'valibot';
import type {PlanEdit} from '../model/plan.js';
import {standbySchema} from '../protocol/standby-spec.js';

/** Text that can be an argument or a variable, and arrives as it was: no zero byte, no half of a character. */
// biome-ignore lint: the zero byte is the point
const text = v.pipe(v.string(), v.regex(/^[^\u0000\p{Surrogate}]*$/u));
const variable = v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/));
const path = v.pipe(text, v.startsWith('/'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const edit = v.variant('kind', [
  v.object({kind: v.literal('insert-args'), at: count, args: v.array(text)}),
  v.object({kind: v.literal('remove-args'), at: count, count}),
  v.object({kind: v.literal('set-env'), name: variable, value: text}),
  v.object({kind: v.literal('unset-env'), name: variable}),
  v.object({kind: v.literal('prepend-path'), name: variable, value: text}),
  v.object({kind: v.literal('executable'), path}),
  v.object({kind: v.literal('prefix-args'), args: v.array(text)}),
  v.object({kind: v.literal('write-file'), path, text: v.string(), mode: v.optional(v.pipe(count, v.maxValue(0o777)))}),
  v.object({
    kind: v.literal('guest-file'),
    path: v.pipe(text, v.regex(/^(?:~\/|\/)/)),
    text: v.string(),
    mode: v.optional(v.pipe(count, v.maxValue(0o777))),
  }),
  v.object({kind: v.literal('observe-stderr'), prefixes: v.array(text)}),
  v.object({kind: v.literal('notice'), text: v.string()}),
  v.object({kind: v.literal('provide'), name: v.string(), value: v.unknown()}),
  v.object({kind: v.literal('standby'), ...standbySchema.entries}),
  v.object({kind: v.literal('refuse'), text: v.string(), status: v.pipe(count, v.minValue(1), v.maxValue(255))}),
]);

/** What a plugin returned as edits: those that are ones, and how many were not. */
export const checkEdits = (edits: unknown): {readonly edits: readonly PlanEdit[]; readonly broken: number} => {
  if (!Array.isArray(edits)) return {edits: [], broken: edits === undefined || edits === null ? 0 : 1};
  const checked = edits.map((item: unknown) => v.safeParse(edit, item));
  return {
    edits: checked.flatMap((result) => (result.success ? [result.output as PlanEdit] : [])),
    broken: checked.filter((result) => !result.success).length,
  };
};
