import {redact} from '../system/redact.js';
import type {CallFault} from './messages.js';
import {NoAnswer} from './no-answer.js';

/** Longest text of a fault that is kept. */
const detailLimit = 300;

/** What a plugin threw, as data: the first line, without secrets. A plugin may throw anything, even undefined. */
export const callFault = (thrown: unknown): CallFault => {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const detail = redact(text.split('\n')[0] ?? '').slice(0, detailLimit);
  if (isNoAnswer(thrown)) {
    return {reason: thrown.reason, detail, ...(thrown.retryAfter === undefined ? {} : {retryAfter: thrown.retryAfter})};
  }
  return {reason: thrown instanceof Error && thrown.name === 'AbortError' ? 'timed-out' : 'threw', detail};
};

/** By name as well: a plugin may have loaded its own copy of our entry. */
const isNoAnswer = (thrown: unknown): thrown is NoAnswer =>
  thrown instanceof NoAnswer || (thrown instanceof Error && thrown.name === 'NoAnswer' && 'reason' in thrown);
