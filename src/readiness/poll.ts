import type {Moment} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import {never, pause, type Slack} from './watch.js';

/** What a look found, and how late that may have been noticed. */
export interface Found<T> {
  readonly value: T;
  readonly at: Moment;
  readonly slack: Slack;
}

/**
 * Looks again and again until there is something, with `gapMs` between the end of a look and the next. For what the system
 * tells nobody about: a socket that begins to listen, a server that becomes healthy, a command that begins to succeed.
 */
export const poll = async <T>(
  gapMs: number,
  look: () => Promise<T | undefined> | T | undefined,
  from: Moment,
  signal: AbortSignal,
): Promise<Found<T>> => {
  let lastNo = from;
  while (!signal.aborted) {
    const began = systemClock.now();
    const value = await look();
    const at = systemClock.now();
    if (value !== undefined) return {value, at, slack: {by: 'polled', gapMs, mostMs: at - lastNo}};
    lastNo = began;
    await pause(gapMs, signal);
  }
  return await never();
};

/** Slack of what the system has told us about itself. */
export const told = (mostMs = 0): Slack => ({by: 'event', gapMs: 0, mostMs});
