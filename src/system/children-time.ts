import {readText} from './soft-reads.js';

/** Linux counts in hundredths of a second for every program that asks (USER_HZ). */
const tick = 10;

/**
 * Processor time of all programs that this process has started and that have ended, milliseconds, to 10. Undefined where
 * the system does not tell.
 */
export const childrenTime = (): number | undefined => {
  const fields = readText('/proc/self/stat')?.split(') ').at(-1)?.split(' ');
  // Fields 16 and 17 of proc(5), of which the first two have been cut off.
  const [user, system] = [Number(fields?.[13]), Number(fields?.[14])];
  return Number.isFinite(user + system) ? (user + system) * tick : undefined;
};
