import {visible} from '../system/visible.js';

/** `plugins create` as text: what there is now, and how to go on. */
export const createdPluginText = (plugin: {readonly name: string; readonly directory: string}): string => {
  const directory = visible(plugin.directory);
  return [
    `The plugin ${plugin.name} is in ${directory}.`,
    '',
    `  node --test ${directory}/       runs its tests`,
    `  bootcut plugins link ${directory}   makes launches use it`,
    '  bootcut steps                  shows its step',
  ].join('\n');
};
