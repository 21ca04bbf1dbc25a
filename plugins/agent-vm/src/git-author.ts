import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Json, Launch} from 'bootcut/plugin';
import {type AuthorIdentity, isClean, trimmed} from './identity.js';
import {isRecord} from './is-record.js';

type Place = Pick<Launch, 'env' | 'cwd'>;

/** Variables by which one launch wants another identity; agent-vm's file is shared by all of them. */
const wishes = ['EMAIL', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS', 'GIT_CONFIG'];

/**
 * git's global identity where agent-vm would find the very same by `git config --global --get`: from an answer of
 * `git-identity/git`, if the user's own file holds both halves. Identities of a directory, the system or a variable of
 * this launch must not reach other projects through agent-vm's file. Starts no process.
 */
export const globalAuthor = (launch: Place, answer: Json | undefined): AuthorIdentity | undefined => {
  const source = isRecord(answer) ? answer['global'] : undefined;
  if (!isRecord(source) || wishes.some((name) => launch.env[name] !== undefined)) return undefined;
  const {name, email} = source;
  if (typeof name !== 'string' || typeof email !== 'string') return undefined;
  const author = {name: trimmed(name), email: trimmed(email), login: ''};
  // agent-vm's own placeholder for guests, which may have come back by a copied gitconfig.
  if (author.name === 'agent-vm' && author.email === 'agent-vm@msb.local') return undefined;
  return isClean(author.name) && isClean(author.email) && isInGlobalFile(launch, author) ? author : undefined;
};

/** Quoting, an include, or an `author` section make it a miss: agent-vm then asks git itself. */
const isInGlobalFile = (launch: Place, {name, email}: AuthorIdentity): boolean => {
  const text = globalFile(launch);
  return text.includes(name) && text.includes(email) && !/^\s*\[\s*author/im.test(text);
};

/** git reads the file in `~`, and the one in the XDG directory only without it. */
const globalFile = ({env, cwd}: Place): string => {
  const home = env['HOME'] ?? '';
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  const settings = xdg !== '' ? resolve(cwd, xdg) : resolve(cwd, home, '.config');
  return textOf(resolve(cwd, home, '.gitconfig')) ?? textOf(resolve(settings, 'git', 'config')) ?? '';
};

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
