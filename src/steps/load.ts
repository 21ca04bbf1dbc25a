import {pathToFileURL} from 'node:url';
import type {Plugin} from '../model/step.js';
import {resolveOurEntry} from './own-entry.js';
import {readPlugin} from './plugin-shape.js';
import {thrownText} from './thrown-text.js';

/** Where a plugin's code is. */
export interface PluginSource {
  /** Package name, for messages. */
  readonly name: string;
  /** Absolute path of the entry module. */
  readonly entry: string;
}

export interface LoadedPlugin {
  readonly source: PluginSource;
  readonly plugin: Plugin | undefined;
  readonly fault: string | undefined;
}

/** Imports plugins; one that cannot be imported or is not a plugin is named with its fault and harms nothing else. */
export const loadPlugins = async (sources: readonly PluginSource[]): Promise<readonly LoadedPlugin[]> =>
  await Promise.all(sources.map(loadPlugin));

const loadPlugin = async (source: PluginSource): Promise<LoadedPlugin> => {
  try {
    resolveOurEntry(source.entry);
    const module = (await import(pathToFileURL(source.entry).href)) as {readonly default?: unknown};
    const plugin = readPlugin(module.default);
    return 'fault' in plugin ? {source, plugin: undefined, fault: plugin.fault} : {source, plugin, fault: undefined};
  } catch (error) {
    return {source, plugin: undefined, fault: `it cannot be loaded: ${thrownText(error)}`};
  }
};
