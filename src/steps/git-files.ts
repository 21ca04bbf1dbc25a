import {existsSync, readFileSync, realpathSync, statSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import type {Launch} from '../model/launch.js';

/** Where git keeps the files of a repository. */
export interface GitRepository {
  /** Directory of this working tree's own files: HEAD, config.worktree. */
  readonly gitDirectory: string;
  /** Directory of the files that all working trees share: config. The same without linked working trees. */
  readonly commonDirectory: string;
  /** Top of the working tree; absent for a bare repository and for GIT_DIR. */
  readonly top?: string;
}

/** Longest pointer file (`gitdir: PATH`) that is read: PATH_MAX of Linux and some room. */
const pointerLimit = 4200;

/**
 * Finds the repository around a launch's directory as git does, with a few looks at the file system and no process.
 * Ownership is not judged here: git itself refuses foreign repositories when it is asked.
 */
export const findGitRepository = ({env, cwd}: Pick<Launch, 'env' | 'cwd'>): GitRepository | undefined => {
  const given = env['GIT_DIR'];
  const found = given === undefined ? walkUp(physical(cwd)) : {gitDirectory: resolve(cwd, given)};
  if (found === undefined) return undefined;
  const common = env['GIT_COMMON_DIR'];
  const commonDirectory = common === undefined ? sharedBy(found.gitDirectory) : resolve(cwd, common);
  return {...found, commonDirectory};
};

/**
 * Files of the whole machine and of the user from which git takes its configuration, there or not. The system's lies in
 * /etc, or under the prefix that git was installed to (Homebrew); `git` is its binary.
 */
export const gitConfigFiles = ({env, cwd}: Pick<Launch, 'env' | 'cwd'>, git: string | undefined): readonly string[] => {
  const system = env['GIT_CONFIG_SYSTEM'];
  const prefixed = git === undefined ? [] : [join(dirname(dirname(git)), 'etc', 'gitconfig')];
  return [
    ...(system === undefined ? ['/etc/gitconfig', ...prefixed] : [resolve(cwd, system)]),
    ...globalFiles({env, cwd}),
  ];
};

const globalFiles = ({env, cwd}: Pick<Launch, 'env' | 'cwd'>): readonly string[] => {
  const chosen = env['GIT_CONFIG_GLOBAL'];
  if (chosen !== undefined) return [resolve(cwd, chosen)];
  const home = env['HOME'] === undefined ? undefined : resolve(cwd, env['HOME']);
  const settings = env['XDG_CONFIG_HOME'] ? resolve(cwd, env['XDG_CONFIG_HOME']) : home && join(home, '.config');
  return [...(settings ? [join(settings, 'git', 'config')] : []), ...(home ? [join(home, '.gitconfig')] : [])];
};

type Found = Omit<GitRepository, 'commonDirectory'>;

const walkUp = (directory: string): Found | undefined => {
  const gitDirectory = gitDirectoryOf(join(directory, '.git'));
  if (gitDirectory !== undefined) return {gitDirectory, top: directory};
  if (isGitDirectory(directory)) return {gitDirectory: directory};
  const parent = dirname(directory);
  return parent === directory ? undefined : walkUp(parent);
};

/** A `.git` that is a file points elsewhere: linked working trees and submodules. */
const gitDirectoryOf = (path: string): string | undefined => {
  if (isGitDirectory(path)) return path;
  const target = /^gitdir: (.+?)\r?\n*$/s.exec(readPointer(path) ?? '')?.[1];
  return target === undefined ? undefined : resolve(dirname(path), target);
};

/** A linked working tree keeps its own HEAD and points to the rest by `commondir`. */
const isGitDirectory = (path: string): boolean =>
  existsSync(join(path, 'HEAD')) && (existsSync(join(path, 'objects')) || existsSync(join(path, 'commondir')));

const sharedBy = (gitDirectory: string): string => {
  const pointer = readPointer(join(gitDirectory, 'commondir'))?.trimEnd();
  return pointer === undefined || pointer === '' ? gitDirectory : resolve(gitDirectory, pointer);
};

/** Reads a small plain file; a pipe or a giant in its place is left alone. */
const readPointer = (path: string): string | undefined => {
  try {
    const stat = statSync(path, {throwIfNoEntry: false}); // usually there is none
    return stat?.isFile() === true && stat.size <= pointerLimit ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
};

const physical = (directory: string): string => {
  try {
    return realpathSync.native(directory);
  } catch {
    return directory;
  }
};
