import type {Launch, Updatable} from '../model/launch.js';
import type {Runtime, Step} from '../model/step.js';
import type {LaunchId} from '../model/units.js';
import type {LoadedPlugin} from './load.js';
import type {SharedLaunch, StepRef} from './messages.js';

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

export const findRuntime = (side: PluginSide, name: string): {readonly found: Runtime; readonly plugin: string} => {
  for (const {plugin} of side.loaded) {
    const found = plugin?.runtimes?.find((runtime) => runtime.name === name);
    if (found !== undefined && plugin !== undefined) return {found, plugin: plugin.name};
  }
  throw new Error(`Internal error: there is no runtime ${name}`);
};

/** The launch as one plugin sees it: with its own settings and nobody else's. */
export const launchFor = (side: PluginSide, id: LaunchId, plugin: string, item?: string): Launch => {
  const shared = side.launches.get(id);
  if (shared === undefined) throw new Error(`Internal error: launch ${id} is not known here`);
  const {pluginSettings, ...launch} = shared;
  return Object.freeze({
    ...launch,
    updatables: knownUpdatables(side, shared),
    settings: pluginSettings[plugin] ?? {},
    ...(item === undefined ? {} : {item}),
  });
};

/** Asked once a launch, as soon as a plugin may look at them, by the side that has the launch's runtime. */
const askedUpdatables = new WeakMap<SharedLaunch, readonly Updatable[]>();

const knownUpdatables = (side: PluginSide, shared: SharedLaunch): readonly Updatable[] => {
  const known = shared.updatables.length > 0 ? shared.updatables : askedUpdatables.get(shared);
  if (known !== undefined) return known;
  askedUpdatables.set(shared, []); // what the runtime itself sees while it is asked
  const runtime = side.loaded
    .flatMap(({plugin}) => (plugin?.runtimes ?? []).map((found) => ({found, plugin: plugin?.name ?? ''})))
    .find(({found}) => found.name === shared.runtime);
  try {
    askedUpdatables.set(shared, runtime?.found.updatables?.(launchFor(side, shared.id, runtime.plugin)) ?? []);
  } catch {
    // then nothing counts as out of date; the steps of the launch do not suffer for it
  }
  return askedUpdatables.get(shared) ?? [];
};
