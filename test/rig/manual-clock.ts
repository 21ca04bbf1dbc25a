import type {Milliseconds, Moment, WallTime} from '../../src/model/units.js';
import type {Clock} from '../../src/system/clock.js';

/** Both clocks in a test's hand. `pass` moves both, as time does; `setWall` moves only the wall clock, as people do. */
export type ManualClock = Clock & {
  readonly pass: (time: Milliseconds) => void;
  readonly setWall: (change: Milliseconds) => void;
};

/** Starts at the real wall clock, since Keyv compares its own deadline with that one. */
export function manualClock(startsAt: number = Date.now()): ManualClock {
  let wall = startsAt;
  let now = 1000;
  return {
    wall: () => wall as WallTime,
    now: () => now as Moment,
    pass: (time) => {
      wall += time;
      now += time;
    },
    setWall: (change) => {
      wall += change;
    },
  };
}
