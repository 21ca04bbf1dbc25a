import {join} from 'node:path';
import {
  fileIdentity,
  findExecutable,
  findGitRepository,
  gitConfigFiles,
  hashed,
  type KeyPart,
  type Launch,
} from 'bootcut/plugin';
import {directoriesOf} from './directories.js';
import {repoArguments} from './launch-arguments.js';

/**
 * Everything the repositories of a launch depend on that is known without a process. Included files and those of SSH
 * are not; `read` reports them. Values of variables are hashed: `GIT_CONFIG_VALUE_n` can hold an authorization header.
 */
export const reposKey = (launch: Launch): readonly KeyPart[] => {
  const git = findExecutable(launch, 'git');
  const ssh = findExecutable(launch, 'ssh');
  const {noGit, repos, mounts} = repoArguments(launch);
  const files = [git, ssh, ...gitConfigFiles(launch, git)];
  return [
    launch.cwd,
    noGit,
    ...repos,
    '--mount',
    ...mounts,
    ...variables(launch),
    ...files.flatMap((file) => (file === undefined ? [file] : [file, fileIdentity(file)])),
    ...directoriesOf(launch).flatMap((directory) => directoryParts(launch, directory)),
  ];
};

/** Variables that choose a repository or a configuration. */
const relevant =
  /^(GIT_(DIR|COMMON_DIR|WORK_TREE|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)|GIT_CONFIG_.+|HOME|XDG_CONFIG_HOME)$/;

const variables = ({env}: Launch): readonly KeyPart[] =>
  Object.keys(env)
    .filter((name) => relevant.test(name))
    .sort()
    .flatMap((name) => [name, hashed(env[name])]);

const directoryParts = ({env}: Launch, directory: string): readonly KeyPart[] => {
  const repository = findGitRepository({env, cwd: directory});
  const modules = fileIdentity(join(directory, '.gitmodules'));
  if (repository === undefined) return [directory, modules, 'no repository'];
  const {gitDirectory, commonDirectory} = repository;
  const files = [
    join(gitDirectory, 'commondir'),
    join(gitDirectory, 'config.worktree'),
    join(commonDirectory, 'config'),
  ];
  return [directory, modules, gitDirectory, commonDirectory, ...files.map((file) => fileIdentity(file))];
};
