import {randomFillSync} from 'node:crypto';
import type {LaunchId, WallTime} from '../model/units.js';

/** Crockford's base 32: no letters that look like digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Chance for the next ids, a byte for each character: drawn for many at once, for a draw costs more than the rest of an id. */
const chance = Buffer.alloc(16 * 64);
let used = chance.length;

/** The `length` last digits of a whole number. */
const encode = (value: number, length: number): string => {
  let rest = value;
  let text = '';
  for (let index = 0; index < length; index += 1) {
    text = (alphabet[rest % 32] ?? '0') + text;
    rest = Math.floor(rest / 32);
  }
  return text;
};

/** A new id in the form of a ULID: 10 characters of wall time in ms, 16 of chance. */
export const newLaunchId = (at: WallTime): LaunchId => {
  if (used === chance.length) {
    randomFillSync(chance);
    used = 0;
  }
  let text = encode(Math.max(0, Math.floor(at)), 10);
  for (const end = used + 16; used < end; used += 1) text += alphabet[(chance[used] ?? 0) % 32] ?? '0';
  return text as LaunchId;
};

/** The wall time in an id. */
export const launchIdTime = (id: LaunchId): WallTime =>
  [...id.slice(0, 10)].reduce((sum, character) => sum * 32 + alphabet.indexOf(character), 0) as WallTime;

export const isLaunchId = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
