import type {Random} from '../bench/random.js';
import {type Account, isOn} from './account.js';
import type {Arm} from './entry.js';

/** What a launch is to do about an optimization. */
export interface Draw {
  readonly arm: Arm | 'switched-off';
  /** It belongs to a block of two. */
  readonly trial: boolean;
}

/**
 * Draws for one launch. In a trial launches come in blocks of two, one of each in random order; once it pays, one launch in
 * `holdback` goes without, at random. `holdback` 0: nothing is ever left out, and nothing is measured.
 */
export const draw = (
  account: Pick<Account, 'wanted' | 'standing'> | undefined,
  openArm: Arm | undefined,
  holdback: number,
  random: Random,
): Draw => {
  if (account !== undefined && !isOn(account)) return {arm: 'switched-off', trial: false};
  if (holdback === 0) return {arm: 'used', trial: false};
  if ((account?.standing ?? 'trial') === 'trial') {
    const first = random() < 0.5 ? 'used' : 'held-back';
    return {arm: openArm === undefined ? first : other(openArm), trial: true};
  }
  return {arm: random() < 1 / holdback ? 'held-back' : 'used', trial: false};
};

const other = (arm: Arm): Arm => (arm === 'used' ? 'held-back' : 'used');
