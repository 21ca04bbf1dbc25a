import type {Launch, Updatable} from '../model/launch.js';
import type {Runtime, Step} from '../model/step.js';
import type {LaunchId} from '../model/units.js';
import type {LoadedPlugin} from './load.js';
import type {SharedLaunch, StepRef, VariantInfo} from './messages.js';

/** What the plugin side holds: the code of its plugins, and the launches it was told of. */
export interface PluginSide {
  readonly loaded: readonly LoadedPlugin[];
  readonly launches: ReadonlyMap<LaunchId, SharedLaunch>;
}

export const findStep = (side: PluginSide, ref: StepRef): Step => {
  const plugin = side.loaded.find((loaded) => loaded.plugin?.name === ref.plugin)?.plugin;
  const step = plugin?.steps?.find(({name}) => name === ref.name);
  if (step === undefined) throw new Error(`Internal error: there is no step ${ref.plugin}/${ref.name}`);
  return step;
};

export interface FoundRuntime {
  readonly found: Runtime;
  readonly plugin: string;
}

export const findRuntime = (side: PluginSide, launch: LaunchId, name: string): FoundRuntime => {
  const found = runtimeNamed(side, side.launches.get(launch)?.pluginSettings ?? {}, name);
  if (found === undefined) throw new Error(`Internal error: there is no runtime ${name}`);
  return found;
};

type PluginSettings = SharedLaunch['pluginSettings'];

/** The names that runtimes have from the settings. One that cannot say them has none. */
export const variantInfos = (side: PluginSide, settings: PluginSettings): readonly VariantInfo[] =>
  allRuntimes(side).flatMap(({found, plugin}) => {
    try {
      const variants = found.variants?.(settings[plugin] ?? {}) ?? [];
      return variants.map(({name, uses}) => {
        const texts = uses?.map(String);
        return {plugin, runtime: found.name, name, ...(texts === undefined ? {} : {uses: texts})};
      });
    } catch {
      return [];
    }
  });

/** By the plugins that were loaded: several times a launch somebody looks for its runtime. */
const runtimesOf = new WeakMap<PluginSide['loaded'], readonly FoundRuntime[]>();

const allRuntimes = ({loaded}: PluginSide): readonly FoundRuntime[] => {
  const known = runtimesOf.get(loaded);
  if (known !== undefined) return known;
  const runtimes = loaded.flatMap(({plugin}) =>
    (plugin?.runtimes ?? []).map((found) => ({found, plugin: plugin?.name ?? ''})),
  );
  runtimesOf.set(loaded, runtimes);
  return runtimes;
};

/** By its own name, or else by one out of the settings. */
const runtimeNamed = (side: PluginSide, settings: PluginSettings, name: string): FoundRuntime | undefined => {
  const runtimes = allRuntimes(side);
  const own = runtimes.find(({found}) => found.name === name && found.variants === undefined);
  if (own !== undefined) return own;
  const variant = variantInfos(side, settings).find((one) => one.name === name);
  return runtimes.find(({found, plugin}) => found.name === variant?.runtime && plugin === variant.plugin);
};

const noSettings: Launch['settings'] = Object.freeze({});

/** Views of a launch by the settings in them: a launch asks each of a dozen plugins several things. */
const viewsOf = new WeakMap<SharedLaunch, Map<Launch['settings'], Launch>>();

/** The launch as one plugin sees it: with its own settings and nobody else's. */
export const launchFor = (side: PluginSide, id: LaunchId, plugin: string, item?: string): Launch => {
  const shared = side.launches.get(id);
  if (shared === undefined) throw new Error(`Internal error: launch ${id} is not known here`);
  const settings = settingsOf(shared, plugin);
  const view = viewsOf.get(shared)?.get(settings) ?? newView(side, shared, settings);
  return item === undefined ? view : Object.freeze({...view, item});
};

const newView = (side: PluginSide, shared: SharedLaunch, settings: Launch['settings']): Launch => {
  const view = viewWith(shared, settings, knownUpdatables(side, shared));
  viewsOf.set(shared, (viewsOf.get(shared) ?? new Map<Launch['settings'], Launch>()).set(settings, view));
  return view;
};

const viewWith = (shared: SharedLaunch, settings: Launch['settings'], updatables: readonly Updatable[]): Launch => {
  const {pluginSettings: _everybodys, ...launch} = shared;
  return Object.freeze({...launch, updatables, settings});
};

const settingsOf = ({pluginSettings}: SharedLaunch, plugin: string): Launch['settings'] =>
  pluginSettings[plugin] ?? noSettings;

/** Asked once a launch, as soon as a plugin may look at them, by the side that has the launch's runtime. */
const askedUpdatables = new WeakMap<SharedLaunch, readonly Updatable[]>();

const knownUpdatables = (side: PluginSide, shared: SharedLaunch): readonly Updatable[] => {
  const known = shared.updatables.length > 0 ? shared.updatables : askedUpdatables.get(shared);
  if (known !== undefined) return known;
  const updatables = askUpdatables(side, shared);
  askedUpdatables.set(shared, updatables);
  return updatables;
};

/** None where the runtime fails at saying them: then nothing counts as out of date, and the steps do not suffer for it. */
const askUpdatables = (side: PluginSide, shared: SharedLaunch): readonly Updatable[] => {
  const runtime = runtimeNamed(side, shared.pluginSettings, shared.runtime);
  if (runtime?.found.updatables === undefined) return [];
  try {
    return runtime.found.updatables(viewWith(shared, settingsOf(shared, runtime.plugin), []));
  } catch {
    return [];
  }
};
