import type {Json, PlanEdit} from 'bootcut/plugin';
import {parseGitIdentities} from './git-identities.js';
import {parseGithubUser} from './github-user.js';
import type {Identity} from './identity.js';

/** Name under which runtimes find the identity: `{name, email, login?}`. */
const provided = 'git-identity';

/** Chooses one identity in the documented order (`identityOrder`). Only GitHub's own carries the login. */
export const compose = (answers: Readonly<Record<string, Json>>): readonly PlanEdit[] => {
  const git = answers['git'] === undefined ? undefined : parseGitIdentities(answers['git']);
  const user = answers['github'] === undefined ? undefined : parseGithubUser(answers['github']);
  if (git?.directory) return provide(git.directory);
  if (user !== undefined) return provide({name: user.name, email: user.email, login: user.login});
  return git?.global ? provide(git.global) : [];
};

const provide = (value: Identity & {readonly login?: string}): readonly PlanEdit[] => [
  {kind: 'provide', name: provided, value},
];
