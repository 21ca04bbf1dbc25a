import {isClean, isRecord, malformed} from './identity.js';

/** The account that a token or `gh` stands for, with name and e-mail as a commit shall carry them. */
export type GithubUser = {
  readonly login: string;
  /** GitHub's number of the account; null when it was not told. */
  readonly id: number | null;
  readonly name: string;
  readonly email: string;
};

/** GitHub's rule for logins: 1 to 39 letters, digits and hyphens, none of them at an edge. */
const loginPattern = /^(?!-)[A-Za-z0-9-]{1,39}(?<!-)$/;

/** What Rust's `trim` takes away (agent-vm's), which is not quite what JavaScript's does. */
const edges = /^\p{White_Space}+|\p{White_Space}+$/gu;

/**
 * Checks an account, from GitHub or from the store. As agent-vm does: the name is trimmed and else the login; the
 * e-mail is trimmed and else the address that GitHub makes of id and login; control characters refuse it all.
 */
export const parseGithubUser = (stored: unknown): GithubUser => {
  if (!isRecord(stored)) throw malformed('the answer is not an account');
  const {login} = stored;
  if (typeof login !== 'string' || !loginPattern.test(login)) throw malformed('the answer has no valid login');
  const id = accountId(stored['id']);
  const name = trimmed(stored['name']) ?? login;
  const email = trimmed(stored['email']) ?? noReply(id, login);
  if (email === undefined) throw malformed('the account has neither an e-mail nor a usable id');
  if (!isClean(name) || !isClean(email)) throw malformed('the name or e-mail of the account has control characters');
  return {login, id, name, email};
};

/**
 * Keeps of GitHub's answer only what {@link parseGithubUser} needs. An account without e-mail on another host than
 * github.com is refused: the address made of its number would belong to somebody else.
 */
export const githubUserFrom = (answer: unknown, host: string): GithubUser => {
  if (!isRecord(answer)) throw malformed('the answer is not an account');
  const {login, id, name, email} = answer;
  const elsewhere = host !== 'github.com' || isElsewhere(answer['html_url']);
  if (elsewhere && trimmed(email) === undefined) throw malformed('the account shows no e-mail');
  return parseGithubUser({login, id, name, email});
};

/** gh falls back to the only host it is logged in to; the page of the account then tells. */
const isElsewhere = (page: unknown): boolean => {
  const host = typeof page === 'string' && URL.canParse(page) ? new URL(page).hostname : 'github.com';
  return host !== 'github.com';
};

const accountId = (id: unknown): number | null =>
  typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null;

const noReply = (id: number | null, login: string): string | undefined =>
  id === null ? undefined : `${id}+${login}@users.noreply.github.com`;

const trimmed = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value.replace(edges, '') : '';
  return text === '' ? undefined : text;
};
