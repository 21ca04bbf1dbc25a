import {figure} from './figures.js';

/** `waited 4 ms for 2,217 ms of look-ups`: what the cache was good for, from milliseconds. */
export const waitedLine = (waited: number, cost: number): string =>
  `waited ${figure(waited, 0)} ms for ${figure(cost, 0)} ms of look-ups`;
