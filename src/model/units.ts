declare const brand: unique symbol;

/** A length of time in milliseconds; fractions are meant. Every duration in the code is one of these. */
export type Milliseconds = number & {readonly [brand]: 'Milliseconds'};

/** A moment on the monotonic clock of this boot, in milliseconds; equal clocks in every process of the machine. */
export type Moment = number & {readonly [brand]: 'Moment'};

/** A moment on the wall clock: milliseconds since 1970 UTC. It may jump; use it for stamps, never for durations. */
export type WallTime = number & {readonly [brand]: 'WallTime'};

/** Names one launch; sorts by the time it began. */
export type LaunchId = string & {readonly [brand]: 'LaunchId'};

/** Names one stored answer: step name and a digest of everything the answer depends on. */
export type CacheKey = string & {readonly [brand]: 'CacheKey'};

export const ms = (count: number): Milliseconds => count as Milliseconds;
export const seconds = (count: number): Milliseconds => ms(count * 1000);
export const minutes = (count: number): Milliseconds => ms(count * 60_000);
export const hours = (count: number): Milliseconds => ms(count * 3_600_000);
export const days = (count: number): Milliseconds => ms(count * 86_400_000);

/** In whole microseconds: none of our clocks is worth more. A negative zero, which would be shown as one, becomes zero. */
export const toMicro = (milliseconds: number): number => (Math.round(milliseconds * 1000) + 0) / 1000;
