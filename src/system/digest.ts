import {createHash} from 'node:crypto';

/** SHA-256 as lower hex, cut to `length` digits. */
export const digest = (input: string | Uint8Array, length = 64): string =>
  createHash('sha256').update(input).digest('hex').slice(0, length);

/**
 * A secret's stand-in for a cache key: equal secrets give equal text, and nothing leads back to a token of usual
 * length. Undefined and empty stay apart from each other and from any secret.
 */
export const hashed = (secret: string | undefined): string | null =>
  secret === undefined ? null : digest(`bootcut-key\0${secret}`, 32);
