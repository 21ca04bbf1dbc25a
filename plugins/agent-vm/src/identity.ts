import type {Json} from 'bootcut/plugin';
import {isRecord} from './is-record.js';

/** The account as `git-identity/github` stores it: what GitHub said, unchanged. */
export type GithubUser = {
  readonly login: string;
  readonly id: number | null;
  readonly name: string | null;
  readonly email: string | null;
};

/** The author as agent-vm derives it; `login` is empty when it comes from git's configuration. */
export interface AuthorIdentity {
  readonly name: string;
  readonly email: string;
  readonly login: string;
}

/** An answer of `git-identity/github`, or undefined when it is not one that agent-vm would take. */
export const githubUser = (answer: Json | undefined): GithubUser | undefined => {
  if (!isRecord(answer)) return undefined;
  const {login, id, name, email} = answer;
  if (typeof login !== 'string' || !isLogin(login)) return undefined;
  const number = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null;
  const user = {login, id: number, name: textOrNull(name), email: textOrNull(email)};
  return authorOf(user) === undefined ? undefined : user;
};

/** agent-vm's own derivation from GitHub's answer: name, else login; e-mail, else the no-reply address of the account. */
export const authorOf = ({login, id, name, email}: GithubUser): AuthorIdentity | undefined => {
  const noReply = id === null ? '' : `${id}+${login}@users.noreply.github.com`;
  const author = {name: trimmed(name ?? '') || login, email: trimmed(email ?? '') || noReply, login};
  return isClean(author.name) && isClean(author.email) ? author : undefined;
};

/** GitHub's rule for logins as agent-vm checks it. */
export const isLogin = (text: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/.test(text);

/** Not empty, and without a byte that could end a line of the file or of a gitconfig. Half a surrogate pair is no text. */
export const isClean = (text: string): boolean =>
  text !== '' &&
  !/\p{Cs}/u.test(text) &&
  Array.from(text).every((character) => character >= ' ' && character !== '\u007f');

/** Rust's `trim`: the White_Space property, which is not quite JavaScript's notion. */
export const trimmed = (text: string): string => text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
