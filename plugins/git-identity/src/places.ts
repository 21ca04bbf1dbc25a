import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {findGitRepository, type Launch} from 'bootcut/plugin';
import type {Place} from './git-settings.js';

/** Taken away to see what holds without the wishes of this one launch. */
const wishless = {
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_PARAMETERS: undefined,
  GIT_AUTHOR_NAME: undefined,
  GIT_AUTHOR_EMAIL: undefined,
};

/**
 * Where to ask git: the launch's directory, and a place outside every repository. A directory that was deleted has
 * no repository, and the rest can be asked outside.
 */
export const placesOf = (launch: Launch): {readonly here: Place; readonly outside: Place} => {
  const files = absolute(launch);
  const outside = {cwd: '/', env: {...files, ...noRepository()}};
  const here = existsSync(launch.cwd) ? {cwd: launch.cwd, env: files} : outside;
  return {here, outside: {...outside, env: {...outside.env, ...wishless}}};
};

/** Files named relative to the launch's directory, so that they are the same at both places. */
const absolute = ({env, cwd}: Launch): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'].flatMap((name) => {
      const path = env[name];
      return path === undefined || path === '' ? [] : [[name, resolve(cwd, path)]];
    }),
  );

/**
 * Where the root itself is a repository, git is given one that is none, and looks for no other; not always, because
 * an includeIf for all repositories takes the name for one.
 */
const noRepository = () => ({
  GIT_DIR: findGitRepository({env: {}, cwd: '/'}) === undefined ? undefined : '/dev/null',
  GIT_WORK_TREE: undefined,
  GIT_COMMON_DIR: undefined,
});
