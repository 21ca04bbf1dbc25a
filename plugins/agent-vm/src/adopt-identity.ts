import {fileIdentity, type Json, type Launch} from 'bootcut/plugin';
import {mayBeActiveLogin} from './gh-account.js';
import {type GithubUser, githubUser, isLogin} from './identity.js';
import {readIdentityFile} from './identity-file.js';
import {recallLaunch} from './launch-notes.js';

/**
 * Takes up what agent-vm (≥ v0.1.20) asked GitHub for in this launch, as `git-identity/github` would have stored it.
 * Only when its file came into being during the launch and not by our hand, and gh's own files do not name another
 * account: agent-vm's file is not tied to one, and a wrong identity is worse than a slow one.
 */
export const adoptIdentity = (launch: Launch): Readonly<Record<string, Json>> => {
  const note = recallLaunch(launch.id);
  if (note?.identityFile === undefined || note.identityIsReady) return {};
  const {path, identity} = note.identityFile;
  if (fileIdentity(path) === identity) return {};
  const author = readIdentityFile(path);
  if (author === undefined || !isLogin(author.login) || !mayBeActiveLogin(launch, author.login)) return {};
  const {login, name, email} = author;
  const user: GithubUser = {login, id: accountId(login, email), name, email};
  return githubUser(user) === undefined ? {} : {'git-identity/github': user};
};

/** The account number, which agent-vm keeps only inside the no-reply address it makes. */
const accountId = (login: string, email: string): number | null => {
  const [number, rest] = [email.slice(0, email.indexOf('+')), email.slice(email.indexOf('+'))];
  return rest === `+${login}@users.noreply.github.com` && /^\d{1,15}$/.test(number) ? Number(number) : null;
};
