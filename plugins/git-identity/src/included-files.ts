import {dirname, join, resolve} from 'node:path';
import {findGitRepository, type Launch} from 'bootcut/plugin';
import type {Setting} from './git-settings.js';

/**
 * Every file that these settings came from or name for inclusion, whether it exists, is included now, or neither:
 * creating or editing one of them can change who the author is.
 */
export const includedFiles = (launch: Launch, settings: readonly Setting[]): readonly string[] => {
  const repository = findGitRepository(launch);
  // git names files relative to the top of the working tree, or to the directory it was asked in.
  const bases = [launch.cwd, ...(repository?.top === undefined ? [] : [repository.top])];
  const files = settings.flatMap((setting) => {
    const origins = originFiles(setting.origin, bases);
    return [...origins, ...targets(launch, setting, origins)];
  });
  const heads = settings.some(({key}) => key.startsWith('includeif.onbranch:')) ? branchFiles(repository) : [];
  return [...new Set([...files, ...heads])];
};

const originFiles = (origin: string, bases: readonly string[]): readonly string[] =>
  origin.startsWith('file:') ? bases.map((base) => resolve(base, origin.slice('file:'.length))) : [];

const targets = ({env, cwd}: Launch, {key, value}: Setting, origins: readonly string[]): readonly string[] => {
  if (!key.startsWith('include') || value === '') return [];
  if (value.startsWith('~/')) return env['HOME'] ? [join(resolve(cwd, env['HOME']), value.slice(2))] : [];
  return origins.map((origin) => resolve(dirname(origin), value));
};

/** Where the current branch is written: HEAD, or the list of tables in the newer kind of reference store. */
const branchFiles = (repository: ReturnType<typeof findGitRepository>): readonly string[] =>
  repository === undefined
    ? []
    : [join(repository.gitDirectory, 'HEAD'), join(repository.gitDirectory, 'reftable', 'tables.list')];
