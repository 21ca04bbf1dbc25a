import {hasControl} from './control.js';

/** What agent-vm takes for an address of github.com. Case counts, and no other spelling does. */
const prefixes = [/^https?:\/\/github\.com\//, /^git@github\.com:/, /^ssh:\/\/git@github\.com(?::\d+)?\//];

const refused = new Set(['', '.', '..']);

/** `owner/repo` of an address by agent-vm's rule: the first two parts of the path, one `.git` removed; else undefined. */
export const githubSlug = (address: string): string | undefined => {
  const prefix = prefixes.find((pattern) => pattern.test(address));
  if (prefix === undefined) return undefined;
  const [owner = '', last = ''] = address.replace(prefix, '').split('/');
  const repo = last.endsWith('.git') ? last.slice(0, -'.git'.length) : last;
  return refused.has(owner) || refused.has(repo) || /\s/.test(owner + repo) || hasControl(owner + repo)
    ? undefined
    : `${owner}/${repo}`;
};
