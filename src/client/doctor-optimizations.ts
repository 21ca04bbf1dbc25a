import type {DoctorFinding} from '../model/inspection.js';
import type {Account} from '../savings/account.js';
import {isOn} from '../savings/account.js';

/** Whether optimizations are in use for this user's programs, and if not why. */
export const optimizationsFinding = (accounts: readonly Account[], wanted: boolean): DoctorFinding => {
  const about = {area: 'launches', name: 'optimizations'};
  if (!wanted) {
    return {
      ...about,
      state: 'ok',
      text: 'switched off by the setting optimizations',
      advice: "'bootcut config set optimizations true' has them again.",
    };
  }
  if (accounts.length === 0) return {...about, state: 'ok', text: 'no launch has had one yet'};
  const failed = accounts.filter((account) => account.launches.length === 0 && failureOf(account) !== undefined);
  const parts = [
    [accounts.filter((account) => account.standing === 'pays' && isOn(account)).length, 'measured to pay'],
    [accounts.filter((account) => account.standing === 'trial' && !failed.includes(account)).length, 'on trial'],
    [accounts.filter((account) => !isOn(account)).length, 'switched off'],
    [failed.length, 'could not be prepared'],
  ] as const;
  const text = parts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`])).join(', ');
  const [first] = failed;
  if (first === undefined) return {...about, state: 'ok', text};
  return {
    ...about,
    state: 'warning',
    text: `${text}: ${first.name} for ${first.label}: ${failureOf(first) ?? ''}`,
    advice: "'bootcut savings' shows all of them; it is tried again after a day.",
  };
};

const failureOf = ({preparations}: Account): string | undefined => preparations.at(-1)?.failure;
