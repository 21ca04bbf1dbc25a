import {statSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileIdentity, findExecutable, hashed, type KeyPart, type Launch} from 'bootcut/plugin';
import {findRepository, type Repository} from './repository.js';

/**
 * Everything git's identity depends on that is known without a process. Included files are not; `read` reports them.
 * All values of variables are hashed: `GIT_CONFIG_VALUE_n` can hold an authorization header.
 */
export const gitKey = (launch: Launch): readonly KeyPart[] => {
  const git = findExecutable(launch, 'git');
  const files = [...(git === undefined ? [] : [git]), ...systemFiles(launch, git), ...globalFiles(launch)];
  return [
    launch.cwd,
    ...variables(launch),
    ...files.flatMap((file) => [file, fileIdentity(file)]),
    ...repositoryParts(findRepository(launch)),
  ];
};

/** Variables that choose a repository, a configuration or an author. SUDO_UID is part of git's ownership rule. */
const relevant =
  /^(GIT_(DIR|COMMON_DIR|WORK_TREE|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)|GIT_AUTHOR_(NAME|EMAIL)|GIT_CONFIG(_.+)?|EMAIL|HOME|XDG_CONFIG_HOME|SUDO_UID)$/;

const variables = ({env}: Launch): readonly KeyPart[] =>
  Object.keys(env)
    .filter((name) => relevant.test(name))
    .sort()
    .flatMap((name) => [name, hashed(env[name])]);

/** git's system file lies in /etc, or under the prefix it was installed to (Homebrew). */
const systemFiles = ({env, cwd}: Launch, git: string | undefined): readonly string[] => {
  const chosen = env['GIT_CONFIG_SYSTEM'];
  if (chosen !== undefined) return [resolve(cwd, chosen)];
  const prefixed = git === undefined ? [] : [join(dirname(dirname(git)), 'etc', 'gitconfig')];
  return ['/etc/gitconfig', ...prefixed];
};

const globalFiles = ({env, cwd}: Launch): readonly string[] => {
  const chosen = env['GIT_CONFIG_GLOBAL'];
  if (chosen !== undefined) return [resolve(cwd, chosen)];
  const home = env['HOME'] === undefined ? undefined : resolve(cwd, env['HOME']);
  const settings = env['XDG_CONFIG_HOME'] ? resolve(cwd, env['XDG_CONFIG_HOME']) : home && join(home, '.config');
  return [...(settings ? [join(settings, 'git', 'config')] : []), ...(home ? [join(home, '.gitconfig')] : [])];
};

/** Owners count because git refuses repositories of other users. */
const repositoryParts = (repository: Repository | undefined): readonly KeyPart[] => {
  if (repository === undefined) return ['no repository'];
  const {gitDirectory, commonDirectory, top} = repository;
  const files = [
    ...(top === undefined ? [] : [join(top, '.git')].filter((path) => path !== gitDirectory)),
    join(gitDirectory, 'commondir'),
    join(gitDirectory, 'config.worktree'),
    join(commonDirectory, 'config'),
  ];
  const directories = [gitDirectory, commonDirectory, ...(top === undefined ? [] : [top])];
  return [...directories.flatMap((path) => [path, owner(path)]), ...files.map((file) => fileIdentity(file))];
};

const owner = (path: string): number | undefined => {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
};
