import type {Json, RuntimeVariant} from 'bootcut/plugin';
import {readRecipe} from './read-recipe.js';
import {passable} from './recipe.js';

type Settings = Readonly<Record<string, Json>>;

/** As `config set plugins.recipes.NAME` takes it: without a dot. */
const nameShape = /^[a-z0-9][a-z0-9_-]{0,39}$/i;

/** Runtimes that came with bootcut: they keep their names. */
export const taken: readonly string[] = ['process', 'agent-vm', 'qemu'];

/** What is wrong with the name of a recipe, or undefined. */
export const nameFault = (name: string): string | undefined => {
  if (!nameShape.test(name)) return 'cannot be asked for by that name: 1 to 40 letters, digits, - and _';
  return taken.includes(name) ? `cannot be asked for: there is a runtime ${name} already` : undefined;
};

/** A recipe with faults keeps its name, so that its launch can say what they are. */
export const recipeVariants = (settings: Settings): readonly RuntimeVariant[] =>
  Object.entries(settings)
    .filter(([name]) => nameFault(name) === undefined)
    .map(([name, value]) => {
      const read = readRecipe(name, value);
      return {name, uses: read.ok ? read.recipe.pass.flatMap((pass) => passable[pass]) : []};
    });
