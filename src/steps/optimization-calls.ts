import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {Json} from '../model/json.js';
import type {Optimization, Preparation} from '../model/optimization.js';
import type {LaunchId} from '../model/units.js';
import {digest} from '../system/digest.js';
import {inOneRound} from '../system/launch-program.js';
import {callFault} from './call-fault.js';
import type {Calls, StepRef} from './messages.js';
import type {OfferedOptimization} from './optimization-messages.js';
import {plainJson} from './plain-json.js';
import {launchFor, type PluginSide} from './plugin-side.js';

/** What each optimization of each plugin can do for this launch; one that fails at saying so is named with its fault. */
export const offers = (side: PluginSide, launch: LaunchId, directory: string): readonly OfferedOptimization[] =>
  inOneRound(() =>
    side.loaded.flatMap(({plugin}) =>
      (plugin?.optimizations ?? []).flatMap((optimization) => {
        const ref = {plugin: plugin?.name ?? '', name: optimization.name};
        try {
          return offer(side, launch, ref, optimization, directory);
        } catch (error) {
          return [{ref, subject: '', label: '', fault: callFault(error).detail}];
        }
      }),
    ),
  );

const offer = (
  side: PluginSide,
  launch: LaunchId,
  ref: StepRef,
  optimization: Optimization,
  directory: string,
): readonly OfferedOptimization[] => {
  const plan = optimization.plan(launchFor(side, launch, ref.plugin), {directory: pathOf(directory, ref)});
  if (plan === undefined) return [];
  directoryOf(directory, ref); // where it cannot be had, nothing is learnt or used
  const {subject, label, use, prepared, learn} = plan;
  // A stranger's plugin may return anything.
  const [parts, ...texts]: readonly unknown[] = [subject, label, prepared ?? ''];
  if (!Array.isArray(parts) || texts.some((text) => typeof text !== 'string'))
    throw new Error('its plan has no list as its subject, or a label that is no text');
  return [
    {
      ref,
      subject: digest(JSON.stringify([ref.plugin, ref.name, ...subject]), 32),
      label,
      ...(use === undefined ? {} : {use}),
      ...(prepared === undefined ? {} : {prepared}),
      ...(learn === undefined ? {} : {learn}),
    },
  ];
};

export const warmUp = async (
  side: PluginSide,
  {launch, ref, directory, ahead}: Calls['warmUp']['args'],
  signal: AbortSignal,
): Promise<Json> => {
  const work = {directory: directoryOf(directory, ref), signal, ahead};
  return plainJson((await find(side, ref).warmUp?.(launchFor(side, launch, ref.plugin), work)) ?? null);
};

export const watch = async (
  side: PluginSide,
  {launch, ref, directory, pid}: Calls['watch']['args'],
  signal: AbortSignal,
): Promise<null> => {
  await find(side, ref).watch?.(launchFor(side, launch, ref.plugin), {
    directory: directoryOf(directory, ref),
    signal,
    pid,
  });
  return null;
};

export const prepare = async (
  side: PluginSide,
  {launch, ref, directory, outcome}: Calls['prepare']['args'],
  signal: AbortSignal,
): Promise<Preparation> => {
  const work = {directory: directoryOf(directory, ref), signal, outcome};
  const done = await find(side, ref).prepare?.(launchFor(side, launch, ref.plugin), work);
  if (done === undefined) throw new Error('it prepares nothing');
  return {bytes: done.bytes, ...(done.detail === undefined ? {} : {detail: done.detail})};
};

const find = (side: PluginSide, ref: StepRef): Optimization => {
  const plugin = side.loaded.find((loaded) => loaded.plugin?.name === ref.plugin)?.plugin;
  const found = plugin?.optimizations?.find(({name}) => name === ref.name);
  if (found === undefined) throw new Error(`Internal error: there is no optimization ${ref.plugin}/${ref.name}`);
  return found;
};

const pathOf = (base: string, {plugin, name}: StepRef): string => join(base, plugin.replaceAll('/', '+'), name);

const directoryOf = (base: string, ref: StepRef): string => {
  const directory = pathOf(base, ref);
  mkdirSync(directory, {recursive: true, mode: 0o700});
  return directory;
};
