import {createRequire, register} from 'node:module';
import {pathToFileURL} from 'node:url';
import {builtFile} from '../system/installation.js';

const ownEntry = pathToFileURL(builtFile('plugin.js')).href;

let registered = false;

/**
 * Makes `bootcut/plugin` resolve to this very installation for a plugin that has no `bootcut` in reach (linked from
 * anywhere). Costs a loader thread, so it is done only for plugins that need it.
 */
export const resolveOurEntry = (entry: string): void => {
  if (registered || canResolve(entry)) return;
  registered = true;
  const source = `
    export const resolve = (specifier, context, next) =>
      specifier === 'bootcut/plugin'
        ? {url: ${JSON.stringify(ownEntry)}, shortCircuit: true}
        : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(source)}`);
};

const canResolve = (entry: string): boolean => {
  try {
    createRequire(entry).resolve('bootcut/package.json');
    return true;
  } catch {
    return false;
  }
};
