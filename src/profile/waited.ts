/** `waited 4 ms for 2,217 ms of look-ups`: what the cache was good for, from milliseconds. */
export const waitedLine = (waited: number, cost: number): string =>
  `waited ${wholeMs(waited)} for ${wholeMs(cost)} of look-ups`;

const wholeMs = (value: number): string => `${Math.round(value).toLocaleString('en-US')} ms`;
