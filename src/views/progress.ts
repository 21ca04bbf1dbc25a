import type {Refreshed} from '../model/inspection.js';
import {refreshedLine} from './cache.js';

/** Nothing is said of work that takes less than this, in milliseconds. */
const patience = 1000;

/** Says what is going on, on stderr, to a person at a terminal, once it has taken a second. */
export const progressOnStderr = (
  what: string,
): {readonly tell: (refreshed: Refreshed) => void; readonly end: () => void} => {
  if (!process.stderr.isTTY) return {tell: () => undefined, end: () => undefined};
  let isLong = false;
  const timer = setTimeout(() => {
    isLong = true;
    process.stderr.write(`${what} …\n`);
  }, patience);
  return {
    tell: (refreshed) => {
      if (isLong) process.stderr.write(`${refreshedLine(refreshed)}\n`);
    },
    end: () => clearTimeout(timer),
  };
};
