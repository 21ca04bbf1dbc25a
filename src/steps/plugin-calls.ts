import type {Json} from '../model/json.js';
import type {Launch} from '../model/launch.js';
import type {PlanEdit} from '../model/plan.js';
import type {CheckStep, LookupStep, Plugin, ReadTools, Step} from '../model/step.js';
import type {LaunchId} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import {digest} from '../system/digest.js';
import {safeFileIdentity} from '../system/file-identity.js';
import {answersFor} from './answers-for.js';
import {callFault} from './call-fault.js';
import {besideConnections, connectLookUps} from './look-up-connections.js';
import type {CallName, Calls, Composed, ComposedStep, Inspected, ReadAnswer, StepRef} from './messages.js';
import {offers, prepare, warmUp, watch} from './optimization-calls.js';
import {plainJson} from './plain-json.js';
import {pluginInfo} from './plugin-info.js';
import {findRuntime, findStep, launchFor, type PluginSide, variantInfos} from './plugin-side.js';

type CallTable = {
  readonly [K in CallName]: (
    side: PluginSide,
    args: Calls[K]['args'],
    signal: AbortSignal,
  ) => Promise<Calls[K]['result']>;
};

/** Every call the host can make, run on the plugin side. What throws here becomes a fault of that one call. */
export const pluginCalls: CallTable = {
  describe: async (side) => side.loaded.map(pluginInfo),

  variants: async (side, {pluginSettings}) => variantInfos(side, pluginSettings),

  updatables: async (side, {launch, runtime}) => {
    const {plugin} = findRuntime(side, launch, runtime);
    return launchFor(side, launch, plugin).updatables;
  },

  inspect: async (side, {launch, steps}) =>
    steps.flatMap(({plugin, name}) => inspectStep(side, launch, {plugin, name})),

  read: async (side, {launch, ref, etag, previous}, signal) => {
    const step = findStep(side, ref);
    const spans: ReadAnswer['spans'][number][] = [];
    const files = new Map<string, string>();
    const tools: ReadTools = {
      signal,
      etag,
      previous,
      span: async (name, work) => {
        const from = systemClock.now();
        try {
          return await work();
        } finally {
          spans.push({name, from, to: systemClock.now()});
        }
      },
      dependsOn: (path) => {
        if (!files.has(path)) files.set(path, safeFileIdentity(path));
      },
    };
    const work = () => readStep(step, launchFor(side, launch, ref.plugin, ref.item), tools);
    const answer = await besideConnections(side, {launch, ref}, spans, work);
    return {...answer, spans, files: [...files]};
  },

  connect: async (side, args, signal) => await connectLookUps(side, args, signal),

  compose: async (side, {launch, answers, runtime}) => {
    const steps = answers.map(({ref, value}) => composeStep(side, launch, ref, value));
    const plugins = side.loaded.flatMap(({plugin}) => {
      const given = answers.filter(({ref}, index) => ref.plugin === plugin?.name && steps[index]?.fault === undefined);
      if (plugin?.compose === undefined || given.length === 0) return [];
      const values = Object.fromEntries(given.map(({ref, value}) => [ref.name, value]));
      try {
        return [{plugin: plugin.name, edits: plugin.compose(values, launchFor(side, launch, plugin.name))}];
      } catch (error) {
        return [{plugin: plugin.name, edits: [], fault: callFault(error).detail}];
      }
    });
    if (runtime === undefined) return {steps, plugins};
    const known = answers.filter((_, index) => steps[index]?.fault === undefined);
    // A plugin may return anything as edits; what is none is named later, where edits are checked.
    const edits = [...steps, ...plugins].flatMap((composed) =>
      Array.isArray(composed.edits) ? (composed.edits as readonly PlanEdit[]) : [],
    );
    return {steps, plugins, planned: planOf(side, launch, runtime, answersFor(known, edits))};
  },

  plan: async (side, {launch, runtime, answers}) => {
    return runtimePlan(side, launch, runtime, answers);
  },

  late: async (side, {launch, runtime, answers}) => {
    const {found, plugin} = findRuntime(side, launch, runtime);
    return found.late?.(launchFor(side, launch, plugin), answers) ?? [];
  },

  phases: async (side, {launch, runtime, seen}) => {
    const {found, plugin} = findRuntime(side, launch, runtime);
    return found.phases?.(launchFor(side, launch, plugin), seen) ?? {milestones: [], spans: []};
  },

  adopt: async (side, {launch, runtime}) => {
    const {found, plugin} = findRuntime(side, launch, runtime);
    return (await found.adopt?.(launchFor(side, launch, plugin))) ?? {};
  },

  optimize: async (side, {launch, directory}) => offers(side, launch, directory),

  warmUp: async (side, args, signal) => await warmUp(side, args, signal),

  watch: async (side, args, signal) => await watch(side, args, signal),

  prepare: async (side, args, signal) => await prepare(side, args, signal),

  diagnose: async (side, {launch}, signal) =>
    await Promise.all(
      side.loaded.flatMap(({plugin}) =>
        plugin?.diagnose === undefined ? [] : [diagnosePlugin(plugin, launchFor(side, launch, plugin.name), signal)],
      ),
    ),
};

const runtimePlan = (
  side: PluginSide,
  launch: LaunchId,
  runtime: string,
  answers: Readonly<Record<string, Json>>,
): readonly PlanEdit[] => {
  const {found, plugin} = findRuntime(side, launch, runtime);
  return found.plan(launchFor(side, launch, plugin), answers);
};

const planOf = (
  side: PluginSide,
  launch: LaunchId,
  runtime: string,
  answers: Readonly<Record<string, Json>>,
): NonNullable<Composed['planned']> => {
  try {
    return {edits: runtimePlan(side, launch, runtime, answers)};
  } catch (error) {
    return {edits: [], fault: callFault(error).detail};
  }
};

const diagnosePlugin = async (
  plugin: Plugin,
  launch: Launch,
  signal: AbortSignal,
): Promise<Calls['diagnose']['result'][number]> => {
  try {
    return {plugin: plugin.name, findings: (await plugin.diagnose?.(launch, {signal})) ?? []};
  } catch (error) {
    const text = `its own diagnosis fails: ${callFault(error).detail}`;
    return {plugin: plugin.name, findings: [{name: 'diagnosis', state: 'fault', text}]};
  }
};

const inspectStep = (side: PluginSide, id: LaunchId, ref: StepRef): readonly Inspected[] => {
  try {
    const step = findStep(side, ref);
    const launch = launchFor(side, id, ref.plugin);
    if (step.when !== undefined && !step.when(launch)) return [{ref, kind: 'skipped'}];
    if (step.kind === 'secret' || step.kind === 'action') return [{ref, kind: 'wanted', key: ''}];
    const items: readonly (string | undefined)[] = step.items === undefined ? [undefined] : step.items(launch);
    if (items.length === 0) return [{ref, kind: 'skipped'}];
    return items.map((item) => ({
      ref: item === undefined ? ref : {...ref, item},
      kind: 'wanted',
      key: keyDigest(step.key(item === undefined ? launch : {...launch, item})),
    }));
  } catch (error) {
    return [{ref, kind: 'broken', detail: callFault(error).detail}];
  }
};

/**
 * A key that is not what it should be (a promise of one, an object in it) would be the same text for every account: then
 * the step is broken rather than its answers mixed up.
 */
const keyDigest = (parts: unknown): string => {
  const isPart = (part: unknown): boolean =>
    part === null || part === undefined || ['string', 'boolean'].includes(typeof part) || Number.isFinite(part);
  if (!Array.isArray(parts) || !parts.every(isPart))
    throw new Error('its key is not a list of texts, numbers, booleans and nulls');
  return digest(JSON.stringify(parts), 40);
};

type Cached = LookupStep | CheckStep;

const readStep = async (
  step: Step,
  launch: Launch,
  tools: ReadTools,
): Promise<Pick<ReadAnswer, 'value' | 'unchanged' | 'etag' | 'edits' | 'use'>> => {
  if (step.kind === 'action') {
    if (step.neededBy === 'first-use') return {value: null, unchanged: false, use: await step.act(launch, tools)};
    return {value: null, unchanged: false, edits: await step.act(launch, tools)};
  }
  if (step.kind === 'secret') {
    const value = await step.read(launch, tools);
    return {value: null, unchanged: false, edits: value === undefined ? [] : step.apply(value, launch)};
  }
  const cached = step as Cached;
  const answer = await cached.read(launch, tools);
  if (isUnchanged(answer)) {
    return {
      value: plainJson(cached.parse(tools.previous)),
      unchanged: true,
      ...(tools.etag === undefined ? {} : {etag: tools.etag}),
    };
  }
  if (isTagged(answer)) return {value: plainJson(cached.parse(answer.value)), unchanged: false, etag: answer.etag};
  return {value: plainJson(cached.parse(answer)), unchanged: false};
};

const isUnchanged = (answer: unknown): answer is {readonly unchanged: true} =>
  typeof answer === 'object' && answer !== null && 'unchanged' in answer && answer.unchanged === true;

const isTagged = (answer: unknown): answer is {readonly value: Json; readonly etag: string} =>
  typeof answer === 'object' &&
  answer !== null &&
  Object.keys(answer).length === 2 &&
  'value' in answer &&
  'etag' in answer &&
  typeof answer.etag === 'string';

const composeStep = (side: PluginSide, id: LaunchId, ref: StepRef, value: Json): ComposedStep => {
  try {
    const step = findStep(side, ref) as Cached;
    const launch = launchFor(side, id, ref.plugin, ref.item);
    const parsed = step.parse(value);
    if (step.kind === 'check') {
      const notice = step.notice(parsed, launch);
      return {ref, edits: [], ...(notice === undefined ? {} : {notice})};
    }
    return {ref, edits: step.apply?.(parsed, launch) ?? []};
  } catch (error) {
    return {ref, edits: [], fault: callFault(error).detail};
  }
};
