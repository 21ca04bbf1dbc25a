import type {Json} from '../model/json.js';
import {NoAnswer} from './no-answer.js';

/** Deeper things are circular, or not worth storing. */
const depthLimit = 200;

/**
 * A step's answer as JSON that reads back as the same. Throws for what JSON would drop or change silently (functions, big
 * integers, NaN, dates, maps): stored like that it would be another answer than the one that was given.
 */
export const plainJson = (value: unknown, depth = 0): Json => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') throw notJson(typeof value === 'number' ? String(value) : typeof value);
  if (depth > depthLimit) throw notJson('something circular');
  if (Array.isArray(value)) return value.map((item: unknown) => plainJson(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw notJson('an object of a class');
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, plainJson(item, depth + 1)]),
  );
};

const notJson = (what: string): NoAnswer => new NoAnswer('malformed', `its answer is not JSON: it holds ${what}`);
