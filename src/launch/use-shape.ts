import * as v from 'valibot';
import type {CommandUse, FileUse, PortUse} from '../model/first-use.js';
import type {PlanEdit} from '../model/plan.js';
import {longestText} from './edit-shape.js';

// biome-ignore lint: the zero byte is the point
const text = v.pipe(v.string(), v.maxLength(longestText), v.regex(/^[^\u0000]*$/));
const variables = v.record(v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)), text);
const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));

const command = v.object({env: v.optional(variables)});
const file = v.object({text: v.string()});
const address = v.union([
  v.object({socket: v.pipe(text, v.startsWith('/'))}),
  v.object({host: v.optional(text), port}),
]);

const checked = <Schema extends v.GenericSchema>(schema: Schema, use: unknown): v.InferOutput<Schema> | undefined => {
  const result = v.safeParse(schema, use);
  return result.success ? result.output : undefined;
};

/** What a step gives to its command; it may be nothing. Undefined for anything else. */
export const readCommandUse = (use: unknown): CommandUse | undefined =>
  checked(command, use ?? {}) as CommandUse | undefined;

export const readFileUse = (use: unknown): FileUse | undefined => checked(file, use);

export const readPortUse = (use: unknown): PortUse | undefined => checked(address, use) as PortUse | undefined;

/** The same for a command that cannot be waited for: then the whole target has its variables. */
export const commandEdits = (use: unknown): readonly PlanEdit[] =>
  Object.entries(readCommandUse(use)?.env ?? {}).map(([name, value]) => ({kind: 'set-env', name, value}));
