import {NoAnswer} from 'bootcut/plugin';
import {hasControl} from './control.js';
import type {Repo} from './remote-address.js';

/** The repositories that belong to a launch. */
export type Repos = {
  /** On every host, by all forms of addresses, with aliases resolved. */
  readonly repos: readonly Repo[];
  /** `owner/repo` of github.com exactly as agent-vm would list them, `--repo` included. */
  readonly allowList: readonly string[];
};

/** Checks repositories, as read or as stored. */
export const parseRepos = (stored: unknown): Repos => {
  if (!isRecord(stored)) throw malformed();
  const {repos, allowList} = stored;
  if (!Array.isArray(repos) || !Array.isArray(allowList)) throw malformed();
  return {repos: repos.map(parseRepo), allowList: allowList.map(text)};
};

/**
 * `owner/repo` of every repository on github.com: what agent-vm would list, and after it what only shows under another
 * form of address (a token in the URL, an alias). Each once, whatever its case; the first spelling stays.
 */
export const githubRepos = ({repos, allowList}: Repos): readonly string[] => {
  const others = repos.filter(({host}) => host === 'github.com').map(({owner, repo}) => `${owner}/${repo}`);
  const byName = new Map<string, string>();
  for (const name of [...allowList, ...others]) {
    if (!byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), name);
  }
  return [...byName.values()];
};

const parseRepo = (stored: unknown): Repo => {
  if (!isRecord(stored)) throw malformed();
  return {host: text(stored['host']), owner: text(stored['owner']), repo: text(stored['repo'])};
};

const text = (value: unknown): string => {
  if (typeof value !== 'string' || value === '' || hasControl(value)) throw malformed();
  return value;
};

const malformed = (): NoAnswer => new NoAnswer('malformed', 'the stored repositories are incomplete');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
