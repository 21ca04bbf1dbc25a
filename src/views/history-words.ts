import {figure} from '../profile/figures.js';
import type {Change} from '../profile/launch-history.js';
import {visible} from '../system/visible.js';
import {localTime} from './profile-words.js';

/** `+1,290 ms`, `-0.42 ms`: a difference always has its sign. */
export const differenceWords = (milliseconds: number): string =>
  `${milliseconds < 0 ? '-' : '+'}${figure(Math.abs(milliseconds), Math.abs(milliseconds) < 10 ? 2 : 0)} ms`;

/** `pre-boot +1,290 ms since agent-vm 0.1.14`. */
export const changeWords = (metric: string, change: Change): string =>
  `${metric} ${differenceWords(change.differenceMs)} since ${sinceWords(change)}`;

const sinceWords = ({since, at}: Change): string => {
  if (since === null) return localTime(at);
  return visible(since.kind === 'build' ? `bootcut ${since.to}` : `${since.runtime} ${since.to}`);
};
