import type {Launch} from 'bootcut/plugin';
import {askGit, type Place, type Setting} from './git-settings.js';
import {hasControl, type Identity} from './identity.js';

type Field = 'name' | 'email';

/**
 * Was name or e-mail set for this directory or this launch in particular? By a variable of the launch, or because
 * the setting that wins here is not the one that wins outside (`general`).
 */
export const isParticular = (launch: Launch, settings: readonly Setting[], general: readonly Setting[]): boolean =>
  (['name', 'email'] as const).some((field) => {
    if (launch.env[variable(field)] !== undefined) return true;
    const here = winner(settings, field);
    if (here === undefined) return false;
    return choosesFiles(launch) || !isSame(here, winner(general, field));
  });

/** 'none': nobody is configured; 'unusable': somebody is, with control characters or bytes that are no text. */
export type Author = Identity | 'none' | 'unusable';

/** An author to be asked for. */
export interface AuthorQuestion {
  readonly place: Place;
  readonly settings: readonly Setting[];
  readonly signal: AbortSignal;
}

/**
 * The author git names at a place: exactly `git var GIT_AUTHOR_IDENT`. 'none' when git refuses, when it would make
 * up one half from user and host name, or when one half is empty; 'unusable' with control or broken characters.
 */
export const authorAt = async (launch: Launch, {place, settings, signal}: AuthorQuestion): Promise<Author> => {
  const env = {...launch.env, ...place.env};
  const given = {name: sources(env, settings, 'name'), email: sources(env, settings, 'email')};
  if (given.name.length === 0 || given.email.length === 0) return 'none';
  const result = await askGit(launch, place, ['var', 'GIT_AUTHOR_IDENT'], signal);
  const [, name, email] = /^(.+) <([^<>\n]+)> \d+ [+-]\d{4}\n?$/.exec(result.stdout) ?? [];
  if (result.code !== 0 || name === undefined || email === undefined) return 'none';
  const isUsable = [...given.name, ...given.email, name, email].every(isReadable);
  return isUsable ? {name, email} : 'unusable';
};

const variable = (field: Field): string => (field === 'name' ? 'GIT_AUTHOR_NAME' : 'GIT_AUTHOR_EMAIL');

/** The configuration files themselves were chosen for this launch. */
const choosesFiles = ({env}: Launch): boolean =>
  env['GIT_CONFIG_GLOBAL'] !== undefined || env['GIT_CONFIG_SYSTEM'] !== undefined;

/** git's rule: the last `author.*` if it is not empty, else the last `user.*`. */
const winner = (settings: readonly Setting[], field: Field): Setting | undefined => {
  const author = settings.findLast(({key}) => key === `author.${field}`);
  return author?.value ? author : settings.findLast(({key}) => key === `user.${field}`);
};

const isSame = (one: Setting, other: Setting | undefined): boolean =>
  other !== undefined && one.origin === other.origin && one.key === other.key && one.value === other.value;

/** The text that one half comes from; none when nobody set it, so that git would make it up. */
const sources = (
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
  field: Field,
): readonly string[] => {
  const chosen = env[variable(field)] ?? winner(settings, field)?.value;
  if (chosen !== undefined) return [chosen];
  return field === 'email' && env['EMAIL'] ? [env['EMAIL']] : [];
};

/** U+FFFD stands for bytes that are no UTF-8: the real name is not known then. */
const isReadable = (text: string): boolean => !hasControl(text) && !text.includes('\ufffd');
