import {readFileSync} from 'node:fs';
import * as v from 'valibot';
import {done, failed, type Result} from '../model/failure.js';
import {planSchema, variantSchema, type WrittenPlan} from './written-plan.js';

/** A bench from a JSON value; the first thing that does not fit is named with its place. */
export const planFromJson = (value: unknown, origin: string): Result<WrittenPlan> => {
  const parsed = v.safeParse(planSchema, value);
  if (parsed.success) return done(parsed.output);
  const [issue] = parsed.issues;
  const place = v.getDotPath(issue) ?? 'the whole';
  return failed({reason: 'bad-argument', detail: `${origin}: ${place}: ${unknownField(issue) ?? issue.message}`});
};

/** A word that is no field, with those that are; undefined where that is not what is wrong. */
const unknownField = ({expected, path}: v.BaseIssue<unknown>): string | undefined => {
  if (expected !== 'never' || path === undefined) return undefined;
  const {entries} = path.length === 1 ? planSchema : variantSchema;
  return `there is no such field; there are ${Object.keys(entries).join(', ')}`;
};

/** A bench from a JSON file. */
export const readPlanFile = (path: string): Result<WrittenPlan> => {
  try {
    return planFromJson(JSON.parse(readFileSync(path, 'utf8')), path);
  } catch (error) {
    return failed({reason: 'bad-argument', detail: `${path} cannot be read: ${(error as Error).message}`});
  }
};
