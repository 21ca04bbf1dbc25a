import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {hours, type Json, type Launch, type PlanEdit} from 'bootcut/plugin';
import {ghHasNoAccount} from './gh-account.js';
import {globalAuthor} from './git-author.js';
import {type AuthorIdentity, authorOf, githubUser, isClean} from './identity.js';
import {stateRoot} from './state-root.js';

/** agent-vm's own limit: a file older than this, or one from the future, is not there for it. */
const freshFor = hours(24);

/** agent-vm's identity cache for a launch (≥ v0.1.20); undefined without a state root. */
export const identityPath = (launch: Pick<Launch, 'env' | 'cwd'>): string | undefined => {
  const root = stateRoot(launch).path;
  return root === undefined ? undefined : join(root, 'cache', 'host-git-identity');
};

/** What agent-vm itself would read from the file at `now` (milliseconds since 1970). */
export const readIdentityFile = (path: string, now = Date.now()): AuthorIdentity | undefined => {
  try {
    // Whole milliseconds, as `now` has: a file written this very moment is not from the future.
    const age = now - Math.floor(statSync(path).mtimeMs);
    return age >= 0 && age <= freshFor ? parseIdentityFile(readFileSync(path, 'utf8')) : undefined;
  } catch {
    return undefined;
  }
};

/** Three lines: name, e-mail, login. The third may be empty. */
export const identityText = ({name, email, login}: AuthorIdentity): string => `${name}\n${email}\n${login}\n`;

/**
 * Puts the identity where agent-vm looks for it, so that the launch does not ask GitHub. Only what agent-vm would have
 * put there itself: GitHub's identity, else git's global one where `gh` has no account at all. The same identity is
 * written again only when the file is no longer good, since that renews it for a day.
 */
export const identityFileEdits = (
  launch: Launch,
  answers: Readonly<Record<string, Json>>,
  now = Date.now(),
): readonly PlanEdit[] => {
  const path = identityPath(launch);
  const ours = identityFor(launch, answers);
  if (path === undefined || ours === undefined) return [];
  const theirs = readIdentityFile(path, now);
  if (theirs !== undefined && !isBetter(ours, theirs)) return [];
  return [{kind: 'write-file', path, text: identityText(ours), mode: 0o600}];
};

/** GitHub's answer replaces any other; git's configuration only replaces git's configuration. */
const isBetter = (ours: AuthorIdentity, theirs: AuthorIdentity): boolean => {
  if (ours.login === '' && theirs.login !== '') return false;
  return identityText(ours) !== identityText(theirs);
};

const identityFor = (launch: Launch, answers: Readonly<Record<string, Json>>): AuthorIdentity | undefined => {
  const user = githubUser(answers['git-identity/github']);
  if (user !== undefined) return authorOf(user);
  // With an account but without an answer, agent-vm would ask and may get one; a fallback would keep it from asking.
  return ghHasNoAccount(launch) ? globalAuthor(launch, answers['git-identity/git']) : undefined;
};

const parseIdentityFile = (text: string): AuthorIdentity | undefined => {
  const [name = '', email = '', login = ''] = text.split('\n');
  return isClean(name) && isClean(email) ? {name, email, login} : undefined;
};
