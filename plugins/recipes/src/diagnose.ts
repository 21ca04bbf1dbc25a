import type {Finding, Json, Launch} from 'bootcut/plugin';
import {findProgram} from './find-program.js';
import {readRecipe} from './read-recipe.js';
import {installedVersion} from './updatables.js';
import {nameFault} from './variants.js';

/** Of each recipe: do its settings make sense, and is its launcher there? */
export const diagnose = async (launch: Launch): Promise<readonly Finding[]> =>
  Object.entries(launch.settings).flatMap(([name, value]) => recipeFindings(launch, name, value));

const recipeFindings = (launch: Launch, name: string, value: Json): readonly Finding[] => {
  const misnamed = nameFault(name);
  if (misnamed !== undefined) return [{name, state: 'fault', text: `it ${misnamed}`}];
  const read = readRecipe(name, value);
  if (!read.ok) {
    const advice = `'bootcut config set plugins.recipes.${name} JSON' replaces it.`;
    return read.faults.map((text) => ({name, state: 'fault', text, advice}));
  }
  const {recipe} = read;
  const program = findProgram(launch, recipe);
  if (program.kind === 'missing') return [{name, state: 'fault', text: `it ${program.text}`}];
  const version = recipe.package === undefined ? undefined : installedVersion(program.realPath, recipe.package);
  const about: Finding = {name, state: 'ok', text: `${program.path}${version === undefined ? '' : `, ${version}`}`};
  if (recipe.package === undefined || version !== undefined) return [about];
  const text = `${program.path} does not lie in an npm package ${recipe.package}: whether there is a newer one cannot be said`;
  return [about, {name, state: 'warning', text}];
};
