import {existsSync, readFileSync, realpathSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {findGitRepository, type Launch} from 'bootcut/plugin';
import {homeDirectory} from './directories.js';

/** The directory that a VM shares with the host, read-write. */
export type Project =
  | {
      readonly kind: 'project';
      /** Absolute, without symbolic links: its place in the guest as well. */
      readonly path: string;
      /** Git's files of this project that lie elsewhere: linked working trees and submodules keep them so. */
      readonly gitDirectories: readonly string[];
    }
  | {
      readonly kind: 'none';
      /** Why there is none, as the end of a sentence. */
      readonly why: string;
    };

/** The git working tree around the launch's directory, else that directory, unless sharing it would share too much. */
export const findProject = (launch: Pick<Launch, 'env' | 'cwd'>): Project => {
  const here = physical(launch.cwd);
  const home = homeDirectory(launch.env);
  const repository = launch.env['GIT_DIR'] === undefined ? findGitRepository(launch) : undefined;
  const top = repository?.top;
  // Somebody's dotfiles make a repository of the whole home directory; what lies in it is not part of that project.
  if (repository !== undefined && top !== undefined && whyNot(top, home) === undefined) {
    return {kind: 'project', path: top, gitDirectories: gitDirectories(top, repository)};
  }
  const why = whyNot(here, home);
  return why === undefined ? {kind: 'project', path: here, gitDirectories: []} : {kind: 'none', why};
};

/** Directories of the system; what lies in them may be a project, they are none. */
const system =
  '/ /bin /boot /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /root /run /sbin /srv /tmp /usr /usr/bin /usr/lib /usr/local /usr/sbin /usr/share /usr/src /var /var/lib /var/tmp'.split(
    ' ',
  );

/** Nothing in these is a project: devices, processes, sockets, the machine's own configuration. */
const neverBelow = ['/boot', '/dev', '/etc', '/proc', '/run', '/sys'];

/** Directories of a home that hold keys, or everything that programs keep of their user. */
const keyDirectories =
  '.aws .azure .cache .config .docker .gnupg .kube .local .local/share .local/state .mozilla .password-store .ssh'.split(
    ' ',
  );

/** Why this directory is no project, or undefined. */
const whyNot = (path: string, home: string | undefined): string | undefined => {
  if (system.includes(path)) return `${path} is a directory of the system`;
  if (neverBelow.some((parent) => path === parent || path.startsWith(`${parent}/`)))
    return `${path} belongs to the system`;
  if (home === undefined) return undefined;
  const own = physical(home);
  if (path === own) return `${path} is your home directory`;
  if (own.startsWith(`${path}/`)) return `your home directory lies in ${path}`;
  if (keyDirectories.some((name) => path === join(own, name))) return `${path} holds keys or settings of yours`;
  return undefined;
};

/**
 * Git's directories outside of the working tree. `.git` is a file there and could name any directory, so each must be
 * one of git's, and point back to this very working tree.
 */
const gitDirectories = (
  top: string,
  repository: {readonly gitDirectory: string; readonly commonDirectory: string},
): readonly string[] => {
  const own = physical(repository.gitDirectory);
  const common = physical(repository.commonDirectory);
  if (isBelow(own, top) && isBelow(common, top)) return [];
  if (!pointsBack(own, top) || !looksLikeGit(common)) return [];
  return isBelow(own, common) ? [common] : [own, common];
};

const isBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

const looksLikeGit = (path: string): boolean =>
  ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name)));

/** A linked working tree's `gitdir` file, or the `worktree` setting of a submodule. */
const pointsBack = (directory: string, top: string): boolean => {
  const linked = readText(join(directory, 'gitdir'))?.trim();
  if (linked !== undefined) return physical(dirname(resolve(directory, linked))) === top;
  const worktree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readText(join(directory, 'config')) ?? '')?.[1];
  return worktree !== undefined && physical(resolve(directory, worktree)) === top;
};

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** A path without symbolic links; as it is where it cannot be followed. */
export const physical = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
};
