import type {InspectedLaunch, InspectedStep, StepFate} from '../model/inspection.js';
import type {LaunchRequest} from '../model/launch.js';
import {stepName} from '../steps/messages.js';
import {keepingOf, type Question} from './asking.js';
import {type Begun, beginLaunch} from './begin-launch.js';
import {triggerText} from './first-use.js';
import {type HostedPlugin, isWanted} from './plugin-set.js';
import type {EngineParts, Prepared, PreparedLaunch} from './prepare.js';
import {inspectSteps} from './run-steps.js';
import {misnamed} from './step-names.js';

/** A launch as it would begin, with the questions it would have; nothing has been asked. */
export interface BegunLaunch {
  readonly kind: 'begun';
  readonly begun: Begun;
  readonly questions: readonly Question[];
  /** A line for each step or plugin that fails at saying what it would ask. */
  readonly broken: readonly string[];
}

/** Begins a launch and goes no further: finds the runtime, weighs the options, collects the questions. */
export const questionsOf = async (
  parts: EngineParts,
  request: LaunchRequest,
): Promise<BegunLaunch | Exclude<Prepared, PreparedLaunch>> => {
  const begun = await beginLaunch(parts, request);
  if (begun.kind !== 'begun') return begun;
  for (const {host} of begun.plugins) host.remember(begun.launch);
  const {questions, notes} = await inspectSteps(begun.plugins, begun.launch, begun.runtime);
  return {kind: 'begun', begun, questions, broken: notes};
};

/** What every known step would come to in this launch. Asks nothing and changes nothing. */
export const inspectLaunch = async (parts: EngineParts, launch: BegunLaunch): Promise<InspectedLaunch> => {
  const {begun} = launch;
  const steps = await Promise.all(begun.plugins.map((plugin) => inspectPlugin(parts, launch, plugin)));
  return {
    verb: begun.launch.verb,
    runtime: begun.runtime.name,
    cwd: begun.launch.cwd,
    steps: steps.flat(),
    faults: [...begun.complaints, ...misnamed(begun.launch.options, begun.plugins)],
  };
};

const inspectPlugin = async (
  parts: EngineParts,
  {begun, questions, broken}: BegunLaunch,
  plugin: HostedPlugin,
): Promise<readonly InspectedStep[]> => {
  const steps = plugin.info.steps.map(async (info): Promise<readonly InspectedStep[]> => {
    const common = {kind: info.kind, barrier: info.barrier, limitMs: info.limit};
    const name = stepName({plugin: info.plugin, name: info.name});
    const own = questions.filter(({ref}) => ref.plugin === info.plugin && ref.name === info.name);
    if (own.length > 0) {
      return await Promise.all(
        own.map(async (question) => ({
          ...common,
          step: stepName(question.ref),
          fate: await fateOf(parts, begun, question),
        })),
      );
    }
    const {options} = begun.launch;
    const without = {with: options.with, without: []};
    if (isWanted(plugin, info, begun.runtime, options))
      return [{...common, step: name, fate: unasked(info.plugin, name, broken)}];
    const isLeftOut = isWanted(plugin, info, begun.runtime, without);
    return [
      {...common, step: name, fate: isLeftOut ? {kind: 'left-out'} : {kind: 'not-used', runtime: begun.runtime.name}},
    ];
  });
  return (await Promise.all(steps)).flat();
};

/** A wanted step without a question: it said no, or its plugin failed, which is named after the step or the plugin. */
const unasked = (plugin: string, step: string, broken: readonly string[]): StepFate => {
  const note = broken.find((line) => line.startsWith(`${step}: `) || line.startsWith(`${plugin}: `));
  return note === undefined ? {kind: 'not-needed'} : {kind: 'broken', why: note.slice(note.indexOf(': ') + 2)};
};

const fateOf = async (parts: EngineParts, {launch}: Begun, question: Question): Promise<StepFate> => {
  const {trigger} = question.info;
  if (trigger !== undefined) return {kind: 'put-off', until: triggerText(trigger)};
  if (question.key === '') return {kind: 'asked', why: `${question.info.kind}s are never stored`};
  const cached = launch.options.noCache
    ? ({state: 'missing', why: 'stored answers are not wanted in this launch'} as const)
    : await parts.cache.look(question.key, keepingOf(question));
  if (cached.state !== 'missing') {
    const {readAt, took} = cached.entry;
    return {kind: 'stored', state: cached.state, ageMs: parts.clock.wall() - readAt, costMs: took};
  }
  const failure = await parts.cache.recentFailure(question.key);
  if (failure === undefined) return {kind: 'asked', why: cached.why};
  return {kind: 'resting', why: failure.detail, until: new Date(failure.until).toISOString()};
};
