import type {Optimization} from '../model/optimization.js';
import type {Step} from '../model/step.js';
import {ms} from '../model/units.js';
import type {LoadedPlugin} from './load.js';
import type {PluginInfo, StepInfo} from './messages.js';
import type {OptimizationInfo} from './optimization-messages.js';

/** Longest time of a step that names none: agent-vm's own limit for `gh api user`. */
const defaultLimit = ms(3000);

/** No step may hold a launch longer than this, whatever it asks for. */
const longestLimit = ms(30_000);

/** What the host may know of a plugin. */
export const pluginInfo = ({source, plugin, fault}: LoadedPlugin): PluginInfo => {
  if (plugin === undefined)
    return {name: source.name, steps: [], runtimes: [], ...(fault === undefined ? {} : {fault})};
  return {
    name: plugin.name,
    ...(plugin.optimizations === undefined
      ? {}
      : {optimizations: plugin.optimizations.map((one) => optimizationInfo(plugin.name, one))}),
    ...(plugin.hosts === undefined ? {} : {hosts: plugin.hosts}),
    steps: (plugin.steps ?? []).map((step: Step) => stepInfo(plugin.name, step)),
    runtimes: (plugin.runtimes ?? []).map((runtime) => ({
      plugin: plugin.name,
      name: runtime.name,
      verbs: runtime.verbs,
      uses: runtime.uses ?? [],
      flags: runtime.flags ?? {value: [], plain: []},
      hasPhases: runtime.phases !== undefined,
      hasUpdatables: runtime.updatables !== undefined,
      adopts: runtime.adopt !== undefined,
      takesLate: runtime.late !== undefined,
      hasTimeline: runtime.timeline ?? false,
      hasVariants: runtime.variants !== undefined,
    })),
  };
};

/** Training a large program's archive takes a minute on a slow machine. */
const prepareLimit = ms(300_000);

const optimizationInfo = (plugin: string, optimization: Optimization): OptimizationInfo => ({
  plugin,
  name: optimization.name,
  summary: optimization.summary,
  warmsUp: optimization.warmUp !== undefined,
  warmsAhead: optimization.warmUp !== undefined && optimization.ahead === true,
  watches: optimization.watch !== undefined,
  prepares: optimization.prepare !== undefined,
  limit: optimization.limit ?? prepareLimit,
});

const stepInfo = (plugin: string, step: Step): StepInfo => {
  const cached = step.kind === 'lookup' || step.kind === 'check';
  return {
    plugin,
    name: step.name,
    kind: step.kind,
    barrier: step.kind === 'check' ? 'none' : step.neededBy,
    ...('trigger' in step ? {trigger: step.trigger} : {}),
    limit: ms(Math.min(step.limit ?? defaultLimit, longestLimit)),
    required: 'required' in step && (step.required ?? false),
    freshFor: cached ? step.freshFor : ms(0),
    keepFor: cached ? step.keepFor : ms(0),
    private: cached ? (step.private ?? true) : true,
    ...(cached && step.asks !== undefined ? {asks: true} : {}),
  };
};
