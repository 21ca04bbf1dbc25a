import type {Moment, WallTime} from '../model/units.js';

/** Both clocks, handed in wherever time matters, so that tests can set them. */
export interface Clock {
  /** Wall clock: may jump. For stamps and for the age of stored things. */
  readonly wall: () => WallTime;
  /** Monotonic clock, the same in every process of this machine. For durations. */
  readonly now: () => Moment;
}

export const systemClock: Clock = {
  wall: () => Date.now() as WallTime,
  now: () => (Number(process.hrtime.bigint()) / 1e6) as Moment,
};
