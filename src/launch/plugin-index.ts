import type {ProgramHosts} from '../model/launch.js';
import type {CallHost} from '../steps/call-host.js';
import type {RuntimeInfo, StepInfo} from '../steps/messages.js';
import type {OptimizationInfo} from '../steps/optimization-messages.js';
import {type HostedPlugin, isWanted} from './plugin-set.js';

/** What is the same in every launch that one set of plugins serves. */
export interface PluginIndex {
  readonly hosts: readonly CallHost[];
  readonly runtimes: readonly RuntimeInfo[];
  readonly programHosts: readonly ProgramHosts[];
  readonly optimizations: readonly OptimizationInfo[];
  /** Those hosts that have any. */
  readonly optimizers: readonly CallHost[];
  /** A line for each plugin that did not load. */
  readonly faults: readonly string[];
}

const indexes = new WeakMap<readonly HostedPlugin[], PluginIndex>();

/** The index of a set of plugins, made once: a set that has changed is another list. */
export const indexOf = (plugins: readonly HostedPlugin[]): PluginIndex => {
  const known = indexes.get(plugins);
  if (known !== undefined) return known;
  const index = {
    hosts: hostsOf(plugins),
    runtimes: plugins.flatMap(({info}) => info.runtimes),
    programHosts: plugins.flatMap(({info}) => info.hosts ?? []),
    optimizations: plugins.flatMap(({info}) => info.optimizations ?? []),
    optimizers: hostsOf(plugins.filter(({info}) => info.optimizations !== undefined)),
    faults: plugins.flatMap(({info}) => (info.fault === undefined ? [] : [`plugin ${info.name}: ${info.fault}`])),
  };
  indexes.set(plugins, index);
  return index;
};

const hostsOf = (plugins: readonly HostedPlugin[]): readonly CallHost[] => [...new Set(plugins.map(({host}) => host))];

/** Steps to ask one host about. */
export interface HostSteps {
  readonly host: CallHost;
  readonly infos: readonly StepInfo[];
}

type Choice = Parameters<typeof isWanted>[3];

const usualSteps = new WeakMap<readonly HostedPlugin[], WeakMap<RuntimeInfo, readonly HostSteps[]>>();

/**
 * The steps that run in a launch of this runtime, as far as names go, by their hosts. Without a choice by the user, which is
 * the usual launch, worked out once for each runtime.
 */
export const wantedSteps = (
  plugins: readonly HostedPlugin[],
  runtime: RuntimeInfo,
  choice: Choice,
): readonly HostSteps[] => {
  if (choice.with.length > 0 || choice.without.length > 0) return chosenSteps(plugins, runtime, choice);
  const byRuntime = usualSteps.get(plugins) ?? new WeakMap<RuntimeInfo, readonly HostSteps[]>();
  const known = byRuntime.get(runtime) ?? chosenSteps(plugins, runtime, choice);
  usualSteps.set(plugins, byRuntime.set(runtime, known));
  return known;
};

const chosenSteps = (plugins: readonly HostedPlugin[], runtime: RuntimeInfo, choice: Choice): readonly HostSteps[] =>
  indexOf(plugins).hosts.flatMap((host) => {
    const own = plugins.filter((plugin) => plugin.host === host);
    const infos = own.flatMap((plugin) => plugin.info.steps.filter((step) => isWanted(plugin, step, runtime, choice)));
    return infos.length === 0 ? [] : [{host, infos}];
  });
