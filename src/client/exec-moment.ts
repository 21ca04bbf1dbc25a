import {readFileSync} from 'node:fs';
import type {Moment} from '../model/units.js';
import {systemClock} from '../system/clock.js';

/** Milliseconds that a start may lie before Node's own zero; beyond, the time is a script's that became us by `exec`. */
const longestStart = 120;

/** A tick of the times in `/proc/PID/stat`, in milliseconds: 100 a second on every Linux that Node runs on. */
const tick = 10;

/** What the system tells of our start. Moments in milliseconds of the monotonic clock. */
export interface StartSigns {
  readonly now: number;
  /** Node's own zero, some milliseconds into its start; `sh` was there before it. */
  readonly zero: number;
  /** `/proc/self/schedstat`: how long our first thread has run and waited for a processor, in nanoseconds. */
  readonly schedstat: string | undefined;
  /** `/proc/self/stat`: in which tick since the boot our process was made. */
  readonly stat: string | undefined;
  /** `/proc/uptime`: seconds since the boot. */
  readonly uptime: string | undefined;
}

/**
 * The exec of our command, as early as it can be told and never before it was. What our thread has run and waited lies
 * behind it (that it slept is missing); and it was made before the end of its tick. A tick that lies further back than one
 * of its length is not believed: a script may have slept before it became us by `exec`.
 */
export const earliestStart = ({now, zero, schedstat, stat, uptime}: StartSigns): number => {
  const [ran = 0, waited = 0] = (schedstat ?? '').split(' ').map(Number);
  const made = now - (ran + waited) / 1e6;
  const best = made < zero && zero - made < longestStart ? made : zero;
  const ticks = Number(stat?.replace(/^.*\) /s, '').split(' ')[19] ?? Number.NaN);
  // The monotonic clock stands still while the machine sleeps, the one since the boot does not: then they cannot be compared.
  const isOneClock = Math.abs(Number(uptime?.split(' ')[0] ?? Number.NaN) * 1000 - now) <= 2 * tick;
  const tickEnd = (ticks + 1) * tick;
  return isOneClock && tickEnd < best && best - tickEnd <= tick ? tickEnd : best;
};

/** When our command was exec'ed. Without `/proc` it is Node's own zero. */
export const execMoment = (): Moment => {
  const schedstat = countedSchedstat();
  const now = systemClock.now();
  return earliestStart({
    now,
    zero: now - performance.now(),
    schedstat,
    stat: read('/proc/self/stat'),
    uptime: read('/proc/uptime'),
  }) as Moment;
};

/**
 * `/proc/self/schedstat` with what our thread has run up to now. The kernel counts that at its own ticks (4 ms apart on many
 * machines) and when somebody asks for a process' times, but not when the file is read.
 */
export const countedSchedstat = (): string | undefined => {
  process.cpuUsage();
  return read('/proc/self/schedstat');
};

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined; // not Linux
  }
};
