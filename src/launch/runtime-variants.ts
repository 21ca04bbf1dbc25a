import type {Settings} from '../config/settings.js';
import type {RuntimeInfo} from '../steps/messages.js';
import type {HostedPlugin} from './plugin-set.js';

/** A runtime under a name that the settings give it. */
export interface NamedRuntime {
  readonly plugin: HostedPlugin;
  readonly runtime: RuntimeInfo;
}

/** Every runtime that has its name from the settings. A plugin that fails at saying so has none. */
export const runtimeVariants = async (
  plugins: readonly HostedPlugin[],
  {plugins: pluginSettings}: Pick<Settings, 'plugins'>,
): Promise<readonly NamedRuntime[]> => {
  const serving = plugins.filter(({info}) => info.runtimes.some(({hasVariants}) => hasVariants));
  const named = await Promise.all(
    [...new Set(serving.map(({host}) => host))].map(async (host): Promise<readonly NamedRuntime[]> => {
      const result = await host.call('variants', {pluginSettings});
      if (!result.ok) return [];
      return result.value.flatMap(({plugin: owner, runtime: base, name, uses}) => {
        const plugin = serving.find((one) => one.host === host && one.info.name === owner);
        const runtime = plugin?.info.runtimes.find((one) => one.name === base);
        if (plugin === undefined || runtime === undefined) return [];
        return [{plugin, runtime: {...runtime, name, uses: uses ?? runtime.uses}}];
      });
    }),
  );
  return named.flat();
};
