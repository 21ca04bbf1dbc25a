import {statSync} from 'node:fs';
import {join} from 'node:path';
import {
  fileIdentity,
  findExecutable,
  findGitRepository,
  type GitRepository,
  gitConfigFiles,
  hashed,
  type KeyPart,
  type Launch,
} from 'bootcut/plugin';

/**
 * Everything git's identity depends on that is known without a process. Included files are not; `read` reports them.
 * All values of variables are hashed: `GIT_CONFIG_VALUE_n` can hold an authorization header.
 */
export const gitKey = (launch: Launch): readonly KeyPart[] => {
  const git = findExecutable(launch, 'git');
  const files = [...(git === undefined ? [] : [git]), ...gitConfigFiles(launch, git)];
  return [
    launch.cwd,
    ...variables(launch),
    ...files.flatMap((file) => [file, fileIdentity(file)]),
    ...repositoryParts(findGitRepository(launch)),
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

/** Owners count because git refuses repositories of other users. */
const repositoryParts = (repository: GitRepository | undefined): readonly KeyPart[] => {
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
