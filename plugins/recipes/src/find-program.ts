import {realpathSync} from 'node:fs';
import {basename} from 'node:path';
import {findExecutable, type Launch} from 'bootcut/plugin';
import {fill, valuesOf} from './placeholders.js';
import type {Recipe} from './recipe.js';

/** The launcher of a recipe for one launch. */
export type Program =
  | {readonly kind: 'found'; readonly path: string; readonly realPath: string}
  /** Why there is none, as the end of a sentence that begins with the recipe. */
  | {readonly kind: 'missing'; readonly text: string};

/** Looked up with the PATH the launcher will have; no process is started. */
export const findProgram = (launch: Launch, {program, env}: Recipe): Program => {
  const wanted = fill(program, valuesOf(launch));
  if (typeof wanted !== 'string') return {kind: 'missing', text: `starts ${program}, but ${wanted.missing}`};
  const path = env['PATH'];
  const place = typeof path === 'string' ? {...launch, env: {...launch.env, PATH: path}} : launch;
  const found = findExecutable(place, wanted);
  if (found === undefined) {
    const where = wanted.includes('/') ? 'which is not an executable file' : 'which is not on the PATH of this launch';
    return {kind: 'missing', text: `starts ${wanted}, ${where}`};
  }
  const realPath = realPathOf(found);
  // With the setting `runtime` it would ask for this recipe again, and again.
  if (basename(realPath) === 'bootcut') return {kind: 'missing', text: `starts ${wanted}, which is bootcut itself`};
  return {kind: 'found', path: found, realPath};
};

const realPathOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};
