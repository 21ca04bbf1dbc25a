import {realpathSync} from 'node:fs';
import {isAbsolute} from 'node:path';
import type {Launch} from 'bootcut/plugin';
import {repoArguments} from './launch-arguments.js';

/** The directories whose repositories count: the project, then every mounted one, links resolved, each once. */
export const directoriesOf = (launch: Launch): readonly string[] => {
  const {noGit, mounts} = repoArguments(launch);
  if (noGit) return [];
  const mounted = mounts.filter((mount) => isAbsolute(mount));
  const physical = [launch.cwd, ...mounted].flatMap((directory) => canonical(directory) ?? []);
  return [...new Set(physical)];
};

const canonical = (directory: string): string | undefined => {
  try {
    return realpathSync.native(directory);
  } catch {
    return undefined;
  }
};
