import {digest} from '../system/digest.js';
import type {ListItem} from '../timeline/settle.js';

/** Names under which an item's identity and its time are looked for, in this order. */
const idNames = ['id', 'key', 'name', 'url', 'title'];
const timeNames = ['created_at', 'createdAt', 'created', 'timestamp', 'time', 'date'];

/**
 * A list from JSON: an array, or an object with one array in it. Items are texts, or objects with an id and perhaps the
 * time they were made (seconds or milliseconds since 1970, or ISO 8601). Anything else is one item: its own digest.
 */
export const listFrom = (text: string): readonly ListItem[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === '' ? [] : [{id: digest(text, 16), createdAt: undefined}];
  }
  return (arrayIn(value) ?? [value]).map(itemOf);
};

const arrayIn = (value: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value).find((part): part is readonly unknown[] => Array.isArray(part));
};

const itemOf = (value: unknown): ListItem => {
  if (typeof value !== 'object' || value === null) return {id: String(value), createdAt: undefined};
  const fields = value as Readonly<Record<string, unknown>>;
  const id = idNames
    .map((name) => fields[name])
    .find((field) => typeof field === 'string' || typeof field === 'number');
  const time = timeNames.map((name) => fields[name]).find((field) => field !== undefined);
  return {id: id === undefined ? digest(JSON.stringify(value), 16) : String(id), createdAt: timeOf(time)};
};

/** Below this, a number since 1970 counts seconds: as milliseconds it would lie in 1973. */
const secondsBelow = 1e11;

const timeOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value < secondsBelow ? value * 1000 : value;
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
};
