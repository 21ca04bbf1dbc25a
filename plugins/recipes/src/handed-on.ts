import type {Json, Launch, PlanEdit} from 'bootcut/plugin';
import {isRecord} from './is-record.js';

/** Values a program could not hold: an environment is a list of zero-terminated lines. */
const unusable = /[\0\r\n]/;

/** Who commits inside. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Name and e-mail, both or nothing: the caller's own variables before what was asked for. */
export const knownIdentity = ({env}: Launch, answer: Json | undefined): Identity | undefined => {
  const name = env['GIT_AUTHOR_NAME'] ?? field(answer, 'name');
  const email = env['GIT_AUTHOR_EMAIL'] ?? field(answer, 'email');
  const isUsable = (text: string | undefined): text is string =>
    text !== undefined && text !== '' && !unusable.test(text) && !text.includes('\ufffd');
  return isUsable(name) && isUsable(email) ? {name, email} : undefined;
};

/** git's own variables, for author and committer alike. */
export const identityEdits = (launch: Launch, identity: Json | undefined): readonly PlanEdit[] =>
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    ...setUnlessGiven(launch, `GIT_${role}_NAME`, field(identity, 'name')),
    ...setUnlessGiven(launch, `GIT_${role}_EMAIL`, field(identity, 'email')),
  ]);

/** Comma-joined `owner/repo` names, in the order given. */
export const repositoryEdits = (launch: Launch, repositories: Json | undefined): readonly PlanEdit[] => {
  const names = Array.isArray(repositories) ? repositories.filter((name) => typeof name === 'string') : [];
  return setUnlessGiven(launch, 'BOOTCUT_GITHUB_REPOS', names.join(','));
};

/** The caller's own variable wins, an empty one too: it may be there to switch something off. */
const setUnlessGiven = (launch: Launch, name: string, value: string | undefined): readonly PlanEdit[] => {
  if (value === undefined || value === '' || unusable.test(value)) return [];
  return launch.env[name] === undefined ? [{kind: 'set-env', name, value}] : [];
};

const field = (value: Json | undefined, name: string): string | undefined => {
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : undefined;
};
