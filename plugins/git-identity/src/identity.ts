import {NoAnswer} from 'bootcut/plugin';

/** Who a commit is by. */
export type Identity = {readonly name: string; readonly email: string};

/**
 * May this text become a value of a git configuration? Not when it is empty or has a control character (below 0x20,
 * or 0x7f), which could end the value and begin another key: agent-vm's rule. Everything else round-trips.
 */
export const isClean = (text: string): boolean => text !== '' && !hasControl(text);

/** Has the text a character below 0x20, or 0x7f? */
export const hasControl = (text: string): boolean =>
  Array.from(text).some((character) => character < ' ' || character === '\u007f');

/** Checks a stored identity; null stays null ("none is set"). */
export const parseIdentity = (stored: unknown): Identity | null => {
  if (stored === null) return null;
  if (!isRecord(stored)) throw malformed('an identity is not an object');
  const {name, email} = stored;
  if (typeof name !== 'string' || typeof email !== 'string') throw malformed('an identity lacks its name or e-mail');
  if (!isClean(name) || !isClean(email)) throw malformed('a name or e-mail is empty or has control characters');
  return {name, email};
};

/** A {@link NoAnswer} for data that is not what it should be. Never put the data itself into the text. */
export const malformed = (text: string): NoAnswer => new NoAnswer('malformed', text);

/** Narrows decoded JSON to an object whose fields can be looked at. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
