import type {Json} from '../model/json.js';

/** Different names a warm-up may count under; the rest of a flood is left out. */
const mostNames = 12;

/**
 * What a warm-up has counted, summed up by name over all it says (`{"a:443": {used: 1}, "b:443": {used: 2}}` has `used: 3`).
 * Times, which nobody sums up, are left out: names that end in `Ms`.
 */
export const countsOf = (said: Json): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>();
  const take = (value: Json, name: string): void => {
    if (typeof value === 'number') {
      if (name === '' || name.endsWith('Ms') || !Number.isFinite(value) || value < 0) return;
      if (counts.has(name) || counts.size < mostNames) counts.set(name, (counts.get(name) ?? 0) + value);
    } else if (Array.isArray(value)) for (const item of value as readonly Json[]) take(item, name);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) take(item, key);
    }
  };
  take(said, '');
  return Object.fromEntries(counts);
};
