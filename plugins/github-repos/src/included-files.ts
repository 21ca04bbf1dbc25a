import {dirname, join, resolve} from 'node:path';
import {findGitRepository, type Launch, type ReadTools} from 'bootcut/plugin';
import {askGit} from './ask-git.js';

const wanted = String.raw`^(include\.path|includeif\..*\.path|url\..*\.(insteadof|pushinsteadof))$`;

/**
 * Every file that rewrites addresses for a directory, or that git's configuration there names for inclusion, whether
 * it exists and is included now or not: creating or editing one can change what an address means.
 */
export const includedFiles = async (
  launch: Launch,
  directory: string,
  {signal}: Pick<ReadTools, 'signal'>,
): Promise<readonly string[]> => {
  const args = ['-C', directory, 'config', '--show-origin', '-z', '--get-regexp', wanted];
  const text = await askGit(launch, {args, env: {GIT_CONFIG: undefined}, signal});
  const repository = findGitRepository({env: launch.env, cwd: directory});
  // git names files relative to the top of the working tree, or to the directory it was asked in.
  const bases = [directory, ...(repository?.top === undefined ? [] : [repository.top])];
  const settings = parseSettings(text);
  const files = settings.flatMap(({origin, key, value}) => {
    const origins = origin.startsWith('file:') ? bases.map((base) => resolve(base, origin.slice(5))) : [];
    return [...origins, ...(key.startsWith('include') ? targets(launch, value, origins) : [])];
  });
  const isByBranch = settings.some(({key}) => key.startsWith('includeif.onbranch:'));
  const heads = isByBranch && repository !== undefined ? [join(repository.gitDirectory, 'HEAD')] : [];
  return [...new Set([...files, ...heads])];
};

const targets = ({env, cwd}: Launch, value: string, origins: readonly string[]): readonly string[] => {
  if (value.startsWith('~/')) return env['HOME'] ? [join(resolve(cwd, env['HOME']), value.slice(2))] : [];
  return value === '' ? [] : origins.map((origin) => resolve(dirname(origin), value));
};

interface Setting {
  readonly origin: string;
  readonly key: string;
  readonly value: string;
}

/** `ORIGIN NUL KEY LF VALUE NUL`, again and again; a variable without `=` has neither line feed nor value. */
const parseSettings = (text: string): readonly Setting[] => {
  const fields = text.split('\0');
  return fields.flatMap((origin, index) => {
    const entry = fields[index + 1];
    if (index % 2 === 1 || entry === undefined) return [];
    const [key = '', ...lines] = entry.split('\n');
    return [{origin, key, value: lines.join('\n')}];
  });
};
