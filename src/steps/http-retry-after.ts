import type {IncomingHttpHeaders} from 'node:http';

/** A wrong header must not silence a question for longer than this: one day, in milliseconds. */
const longest = 86_400_000;

/**
 * For how long (milliseconds) the other side wants to be left alone: `retry-after` as seconds or as a date, else
 * `x-ratelimit-reset` (seconds since 1970). Moments are read by the sender's own clock, its `date` header, where there
 * is one. Undefined when it does not say.
 */
export const retryAfter = (headers: IncomingHttpHeaders, now: number = Date.now()): number | undefined => {
  const sent = Date.parse(headers.date ?? '');
  const wait = fromRetryAfter(headers['retry-after'], sent, now) ?? fromReset(headers['x-ratelimit-reset'], sent, now);
  return wait === undefined ? undefined : Math.min(Math.max(wait, 0), longest);
};

const fromRetryAfter = (text: string | undefined, sent: number, now: number): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  return until(Date.parse(text), sent, now);
};

const fromReset = (text: string | string[] | undefined, sent: number, now: number): number | undefined =>
  typeof text === 'string' && /^\d+$/.test(text) ? until(Number(text) * 1000, sent, now) : undefined;

const until = (moment: number, sent: number, now: number): number | undefined =>
  Number.isNaN(moment) ? undefined : moment - (Number.isNaN(sent) ? now : sent);
