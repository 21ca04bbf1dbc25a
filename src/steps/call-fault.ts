import {redact} from '../system/redact.js';
import type {CallFault} from './messages.js';
import {thrownText} from './thrown-text.js';

/** Longest text of a fault that is kept. */
const detailLimit = 300;

/** How much of a text is looked through for secrets: what is cut off later must not hide half of one. */
const readLimit = 10 * detailLimit;

/** What a plugin threw, as data: the first line, without secrets. A plugin may throw anything, even undefined. */
export const callFault = (thrown: unknown): CallFault => {
  const detail = redact(thrownText(thrown).slice(0, readLimit)).slice(0, detailLimit);
  try {
    return {...reasonOf(thrown), detail};
  } catch {
    return {reason: 'threw', detail}; // a getter of what was thrown threw
  }
};

const reasonOf = (thrown: unknown): Pick<CallFault, 'reason' | 'retryAfter'> => {
  if (!(thrown instanceof Error)) return {reason: 'threw'};
  if (thrown.name === 'AbortError') return {reason: 'timed-out'};
  // By name, not by class: a plugin may have loaded its own copy of our entry.
  if (thrown.name !== 'NoAnswer' || !('reason' in thrown) || !isReason(thrown.reason)) return {reason: 'threw'};
  const retryAfter: unknown = 'retryAfter' in thrown ? thrown.retryAfter : undefined;
  const isTime = typeof retryAfter === 'number' && retryAfter >= 0;
  return {reason: thrown.reason, ...(isTime ? {retryAfter} : {})};
};

/** Short names of ours, or a newer or older copy's. */
const isReason = (reason: unknown): reason is string =>
  typeof reason === 'string' && /^[a-z][a-z-]{0,39}$/.test(reason);
