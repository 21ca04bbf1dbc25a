import type {PlanEdit, StandbySpec} from '../model/plan.js';
import {ms} from '../model/units.js';
import type {LateValue} from '../protocol/values-codec.js';
import type {RuntimeInfo, SharedLaunch} from '../steps/messages.js';
import {after} from './asking.js';
import {composeAnswers, knownAnswers} from './compose-answers.js';
import {checkEdits} from './edit-shape.js';
import type {HostedPlugin} from './plugin-set.js';
import type {EngineParts} from './prepare.js';
import {isLate, type RunningStep, waitForNeeded} from './run-steps.js';
import {timelinePath} from './timeline-file.js';
import {ValuesChannel} from './values-channel.js';

/** What a target whose program knows us is given besides its plan; all of it by variables that it takes out itself. */
export interface TargetWays {
  /** What is left for the plan of what the steps want, and the variables. */
  readonly edits: readonly PlanEdit[];
  /** Where it writes its milestones down. */
  readonly timeline: string | undefined;
  /** It was given a standby. */
  readonly standby: boolean;
  /** What may be kept for the next launch like it. */
  readonly wanted: StandbySpec | undefined;
  /** At the end of the launch. */
  readonly close: () => void;
}

interface WaysInput {
  readonly plugins: readonly HostedPlugin[];
  /** The runtime's. */
  readonly plugin: HostedPlugin;
  readonly runtime: RuntimeInfo;
  readonly launch: SharedLaunch;
  readonly running: readonly RunningStep[];
  /** Monotonic milliseconds; then the target goes on without the answers that are missing. */
  readonly deadline: number;
  readonly stepEdits: readonly PlanEdit[];
  /** The runtime's own. */
  readonly planned: readonly PlanEdit[];
}

const optionName = 'standby';

/** What the plan wants kept booted for launches like this one; undefined where the launch wants none of it. */
const wantedStandby = ({planned, launch}: WaysInput): StandbySpec | undefined => {
  if (launch.options.without.includes(optionName)) return undefined;
  return planned.find((edit) => edit.kind === 'standby');
};

/** Opens the ways that this runtime's program knows; none for any other program. */
export const openWays = async (parts: EngineParts, input: WaysInput): Promise<TargetWays> => {
  const {runtime, launch} = input;
  if (input.planned.some(({kind}) => kind === 'refuse')) return noWays;
  const values = await openValues(parts, input);
  const wanted = wantedStandby(input);
  const standby = wanted === undefined ? undefined : parts.standbys?.take(wanted, launch.id);
  const timeline = runtime.hasTimeline ? timelineOf(parts, launch) : undefined;
  return {
    edits: [
      ...(values === undefined ? input.stepEdits : input.stepEdits.filter((edit) => !isValue(edit))),
      ...variable('BOOTCUT_VALUES', values?.path),
      ...variable('BOOTCUT_TIMELINE', timeline),
      ...variable('BOOTCUT_STANDBY', standby),
    ],
    timeline,
    standby: standby !== undefined,
    wanted,
    close: () => values?.close(),
  };
};

const noWays: TargetWays = {edits: [], timeline: undefined, standby: false, wanted: undefined, close: () => undefined};

const variable = (name: string, value: string | undefined): readonly PlanEdit[] =>
  value === undefined ? [] : [{kind: 'set-env', name, value}];

/** A caller that measures by itself has named a file of its own. */
const timelineOf = ({stateDirectory}: EngineParts, {id, env}: SharedLaunch): string | undefined =>
  stateDirectory === undefined || env['BOOTCUT_TIMELINE'] !== undefined ? undefined : timelinePath(stateDirectory, id);

/** Undefined where nothing is to come. Without a place for a socket the launch waits, as for any other runtime. */
const openValues = async (parts: EngineParts, input: WaysInput): Promise<ValuesChannel | undefined> => {
  const {runtime, launch, running, deadline} = input;
  if (!runtime.takesLate) return undefined;
  const pending = running.filter(({step}) => isLate(step));
  const known = [...input.stepEdits.flatMap(valueOf), ...filesOf(input)];
  if (pending.length === 0 && known.length === 0) return undefined;
  const channel =
    parts.socketDirectory === undefined ? undefined : await ValuesChannel.open(parts.socketDirectory, launch.id);
  if (channel === undefined) {
    await waitForNeeded(parts.clock, running, deadline);
    return undefined;
  }
  if (pending.length === 0) channel.send(known, true);
  else void sendValues(channel, pending, deadline - parts.clock.now(), input);
  return channel;
};

/** What there is at the deadline at the latest; and once more, should something come after it. */
const sendValues = async (
  channel: ValuesChannel,
  pending: readonly RunningStep[],
  patience: number,
  input: WaysInput,
): Promise<void> => {
  const all = Promise.all(pending.map(({ready}) => ready));
  const overdue = after(ms(patience));
  await Promise.race([all, overdue.done]);
  overdue.cancel();
  const missing = pending.some(({step}) => isLate(step));
  channel.send(await valuesOf(input), true);
  if (!missing) return;
  await all;
  channel.send(await valuesOf(input), false);
};

const valuesOf = async (input: WaysInput): Promise<readonly LateValue[]> => {
  const {plugins, plugin, launch, runtime, running} = input;
  const steps = running.map(({step}) => step);
  const composed = await composeAnswers(plugins, launch, steps);
  const answers = knownAnswers(steps, composed);
  const result = await plugin.host.call('late', {launch: launch.id, runtime: runtime.name, answers});
  const own = result.ok ? checkEdits(result.value).edits : [];
  return [...[...composed.edits, ...own].flatMap(valueOf), ...filesOf(input)];
};

/** What the runtime wants in the guest from the start; its variables are in the plan. */
const filesOf = ({planned}: WaysInput): readonly LateValue[] =>
  planned.flatMap(valueOf).filter(({kind}) => kind === 'file');

const isValue = (edit: PlanEdit): boolean => valueOf(edit).length > 0;

const valueOf = (edit: PlanEdit): readonly LateValue[] => {
  if (edit.kind === 'set-env') return [{kind: 'env', name: edit.name, value: edit.value}];
  if (edit.kind !== 'guest-file') return [];
  return [{kind: 'file', path: edit.path, text: edit.text, mode: edit.mode ?? 0o600}];
};
