import type {Json, Launch} from 'bootcut/plugin';
import {makeLaunch} from '../agent-vm/launch.js';

/** A launch through the recipe `box`. */
export const recipeLaunch = (recipe: Json, changes: Partial<Omit<Launch, 'options' | 'id'>> = {}): Launch =>
  makeLaunch({verb: 'run', runtime: 'box', argv: ['make', 'a b'], settings: {box: recipe}, ...changes});
