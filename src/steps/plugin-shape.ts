import * as v from 'valibot';
import type {Plugin} from '../model/step.js';

const name = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9._@/-]{0,80}$/i, 'a name of letters, digits, - and .'));
/** Of a step: without a slash, so that `plugin/step` means one step only. */
const stepName = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9._-]{0,80}$/i, 'a name of letters, digits, - and .'));
const call = v.function();
const duration = v.pipe(v.number(), v.finite(), v.minValue(0));
const strings = v.array(v.string());
const common = {name: stepName, when: v.optional(call), limit: v.optional(duration)};
const cached = {
  ...common,
  key: call,
  freshFor: duration,
  keepFor: duration,
  read: call,
  parse: call,
  private: v.optional(v.boolean()),
  items: v.optional(call),
  asks: v.optional(call),
};
const barrier = v.picklist(['boot', 'run'], "neededBy must be 'boot' or 'run'");

/** In capital letters, so that it is told from a path. */
const variable = /^[A-Z_][A-Z0-9_]*$/;
const trigger = v.union(
  [
    v.object({command: v.pipe(v.string(), v.regex(/^[^/\u0000]{1,200}$/), v.notValue('.'), v.notValue('..'))}),
    v.object({file: v.pipe(v.string(), v.regex(/^[^\u0000]{1,4000}$/))}),
    v.object({
      port: v.union([
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)),
        v.pipe(v.string(), v.regex(variable)),
        v.record(v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)), v.string()),
      ]),
    }),
  ],
  'trigger must be {command: NAME}, {file: PATH} or {port: NUMBER, VARIABLE or VARIABLES}',
);

const step = v.variant('kind', [
  v.looseObject({
    kind: v.literal('lookup'),
    ...cached,
    neededBy: barrier,
    apply: v.optional(call),
    required: v.optional(v.boolean()),
  }),
  v.looseObject({kind: v.literal('check'), ...cached, notice: call}),
  v.looseObject({kind: v.literal('secret'), ...common, neededBy: barrier, read: call, apply: call}),
  v.variant('neededBy', [
    v.looseObject({
      kind: v.literal('action'),
      ...common,
      neededBy: v.literal('first-use'),
      trigger,
      act: call,
    }),
    v.looseObject({
      kind: v.literal('action'),
      ...common,
      neededBy: barrier,
      act: call,
      required: v.optional(v.boolean()),
    }),
  ]),
]);

const runtime = v.looseObject({
  name,
  verbs: strings,
  uses: v.optional(strings),
  flags: v.optional(v.object({value: strings, plain: strings})),
  plan: call,
  late: v.optional(call),
  timeline: v.optional(v.boolean()),
  variants: v.optional(call),
  updatables: v.optional(call),
  phases: v.optional(call),
  adopt: v.optional(call),
});

const optimization = v.looseObject({
  name: stepName,
  summary: v.string(),
  plan: call,
  warmUp: v.optional(call),
  ahead: v.optional(v.boolean()),
  watch: v.optional(call),
  prepare: v.optional(call),
  limit: v.optional(duration),
});

const shape = v.looseObject({
  name,
  steps: v.optional(
    v.pipe(
      v.array(step),
      v.check((steps) => new Set(steps.map((one) => one.name)).size === steps.length, 'two steps have the same name'),
    ),
  ),
  runtimes: v.optional(v.array(runtime)),
  optimizations: v.optional(v.array(optimization)),
  hosts: v.optional(v.array(v.object({program: v.string(), hosts: v.array(v.string())}))),
  compose: v.optional(call),
  diagnose: v.optional(call),
});

/** A module's default export as a plugin, or what is wrong with it, for its author. */
export const readPlugin = (exported: unknown): Plugin | {readonly fault: string} => {
  const result = v.safeParse(shape, exported);
  if (result.success) return result.output as unknown as Plugin;
  const [issue] = result.issues;
  const place = v.getDotPath(issue);
  return {fault: `its default export is not a plugin: ${place === null ? '' : `${place}: `}${issue.message}`};
};
