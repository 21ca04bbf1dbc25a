import * as v from 'valibot';
import type {PlanEdit} from '../model/plan.js';
import {standbySchema} from '../protocol/standby-spec.js';

/** The kernel takes 131,072 bytes in one argument or variable; this many characters of UTF-8 are below that. */
export const longestText = 32_768;

/** All that one step or plugin may add to arguments and environment, in characters: the kernel takes 2 MiB of all together. */
const room = 131_072;

/** Edits of one step or plugin. The most that any of ours has is a dozen. */
const most = 1000;

/** What is said to a person in one go, in characters. */
export const longestNotice = 8192;

/** Text that can be an argument or a variable, and arrives as it was: no zero byte, no half of a character. */
// biome-ignore lint: the zero byte is the point
const text = v.pipe(v.string(), v.maxLength(longestText), v.regex(/^[^\u0000\p{Surrogate}]*$/u));
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
  v.object({kind: v.literal('notice'), text: v.pipe(v.string(), v.maxLength(longestNotice))}),
  v.object({kind: v.literal('provide'), name: v.string(), value: v.unknown()}),
  v.object({kind: v.literal('standby'), ...standbySchema.entries}),
  v.object({kind: v.literal('refuse'), text: v.string(), status: v.pipe(count, v.minValue(1), v.maxValue(255))}),
]);

/**
 * What a plugin returned as edits: those that are ones, and how many were not. What the kernel would not take counts with
 * those: a target must not fail to start because of what a plugin adds.
 */
export const checkEdits = (edits: unknown): {readonly edits: readonly PlanEdit[]; readonly broken: number} => {
  if (!Array.isArray(edits)) return {edits: [], broken: edits === undefined || edits === null ? 0 : 1};
  const good: PlanEdit[] = [];
  let left = room;
  for (const item of edits.slice(0, most) as readonly unknown[]) {
    const result = v.safeParse(edit, item);
    if (!result.success) continue;
    const size = sizeOf(result.output as PlanEdit);
    if (size > left) continue;
    left -= size;
    good.push(result.output as PlanEdit);
  }
  return {edits: good, broken: edits.length - good.length};
};

/** What an edit adds to arguments and environment, in characters. */
const sizeOf = (item: PlanEdit): number => {
  switch (item.kind) {
    case 'set-env':
    case 'prepend-path':
      return item.name.length + item.value.length;
    case 'insert-args':
    case 'prefix-args':
      return item.args.reduce((sum, arg) => sum + arg.length + 1, 0);
    default:
      return 0;
  }
};
