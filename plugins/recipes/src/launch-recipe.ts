import type {Launch} from 'bootcut/plugin';
import {type ReadRecipe, readRecipe} from './read-recipe.js';

/** The recipe that a launch asks for by its name. */
export const launchRecipe = ({runtime, settings}: Pick<Launch, 'runtime' | 'settings'>): ReadRecipe =>
  readRecipe(runtime, settings[runtime]);
