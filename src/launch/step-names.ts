import type {LaunchOptions} from '../model/launch.js';
import {visible} from '../system/visible.js';
import type {HostedPlugin} from './plugin-set.js';

/** What `--without` takes besides plugins and their parts: VMs that were booted ahead. */
const standbys = 'standby';

/** Every name that `--with` and `--without` know: plugins, their steps and their optimizations. */
export const knownNames = (plugins: readonly HostedPlugin[]): readonly string[] => [
  ...plugins.flatMap(({info}) => [
    info.name,
    ...[...info.steps, ...(info.optimizations ?? [])].map(({name}) => `${info.name}/${name}`),
  ]),
  standbys,
];

/** The first of the names that nothing answers to. Of a plugin that did not load, nobody knows what it has. */
export const unknownName = (names: readonly string[], plugins: readonly HostedPlugin[]): string | undefined => {
  const known = knownNames(plugins);
  const broken = plugins.filter(({info}) => info.fault !== undefined).map(({info}) => info.name);
  return names.find((name) => !known.includes(name) && !broken.some((plugin) => name.startsWith(`${plugin}/`)));
};

/** A line about a slip in what a launch is to do with or without; it is no reason to hold the launch. */
export const misnamed = (
  {with: wanted, without}: LaunchOptions,
  plugins: readonly HostedPlugin[],
): readonly string[] => {
  const names = [...wanted, ...without];
  const name = names.length === 0 ? undefined : unknownName(names, plugins);
  return name === undefined ? [] : [`there is no plugin or step '${visible(name)}', which --with or --without names`];
};
