import {definePlugin, defineRuntime} from 'bootcut/plugin';
import {derivePhases} from './derive-phases.js';
import {diagnose} from './diagnose.js';
import {planLaunch} from './plan-launch.js';
import {recipeUpdatables} from './updatables.js';
import {recipeVariants} from './variants.js';

/** Runtimes that come from the configuration alone: `plugins.recipes.NAME` holds how a launcher is called. */
export default definePlugin({
  name: 'recipes',
  diagnose,
  runtimes: [
    defineRuntime({
      name: 'recipes',
      verbs: [],
      variants: recipeVariants,
      plan: planLaunch,
      updatables: recipeUpdatables,
      phases: derivePhases,
    }),
  ],
});
