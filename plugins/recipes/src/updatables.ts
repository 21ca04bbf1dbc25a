import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Launch, Updatable} from 'bootcut/plugin';
import {findProgram} from './find-program.js';
import {isRecord} from './is-record.js';
import {launchRecipe} from './launch-recipe.js';

/** Directories above a launcher's file that are searched for its package: `bin/x` and `dist/bin/x` lie this close. */
const depth = 4;

/** The npm package of the recipe, with the version that its launcher came with. */
export const recipeUpdatables = (launch: Launch): readonly Updatable[] => {
  const read = launchRecipe(launch);
  const name = read.ok ? read.recipe.package : undefined;
  if (!read.ok || name === undefined) return [];
  const program = findProgram(launch, read.recipe);
  const version = program.kind === 'found' ? installedVersion(program.realPath, name) : undefined;
  return version === undefined ? [] : [{source: 'npm', name, have: [version]}];
};

/** The version of this package if the file belongs to it; another package's version says nothing. */
export const installedVersion = (realPath: string, name: string): string | undefined => {
  let directory = dirname(realPath);
  for (let level = 0; level < depth; level += 1) {
    const manifest = readManifest(join(directory, 'package.json'));
    if (manifest?.['name'] === name && typeof manifest['version'] === 'string') return manifest['version'];
    directory = dirname(directory);
  }
  return undefined;
};

const readManifest = (path: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
};
