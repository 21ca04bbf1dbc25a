import {randomBytes} from 'node:crypto';
import type {LaunchId, WallTime} from '../model/units.js';

/** Crockford's base 32: no letters that look like digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const encode = (value: bigint, length: number): string => {
  let rest = value;
  let text = '';
  for (let index = 0; index < length; index += 1) {
    text = (alphabet[Number(rest & 31n)] ?? '0') + text;
    rest >>= 5n;
  }
  return text;
};

/** A new id in the form of a ULID: 10 characters of wall time in ms, 16 of chance. */
export const newLaunchId = (at: WallTime): LaunchId =>
  (encode(BigInt(Math.max(0, Math.floor(at))), 10) +
    encode(BigInt(`0x${randomBytes(10).toString('hex')}`), 16)) as LaunchId;

/** The wall time in an id. */
export const launchIdTime = (id: LaunchId): WallTime =>
  [...id.slice(0, 10)].reduce((sum, character) => sum * 32 + alphabet.indexOf(character), 0) as WallTime;

export const isLaunchId = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
