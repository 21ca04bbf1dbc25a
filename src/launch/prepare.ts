import type {AnswerCache} from '../cache/answer-cache.js';
import {readSettings} from '../config/settings.js';
import type {LaunchRequest} from '../model/launch.js';
import type {Plan} from '../model/plan.js';
import type {Moment, WallTime} from '../model/units.js';
import {newLaunchId} from '../record/launch-id.js';
import type {RuntimeInfo, SharedLaunch} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import type {Question} from './asking.js';
import {parseCommandLine} from './command-line.js';
import {composeAnswers, planEdits} from './compose-answers.js';
import {composePlan, writePlanFiles} from './compose-plan.js';
import {noticeLines, temperatureOf} from './notices.js';
import {weighOptions} from './options.js';
import {findRuntime, type HostedPlugin, type PluginSet} from './plugin-set.js';
import {inspectSteps, type RunningStep, type StepProgress, startSteps, waitForNeeded} from './run-steps.js';

/** What the engine works with. */
export interface EngineParts {
  readonly plugins: PluginSet;
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly configDirectory: string;
  /** One line about a directory that had to be passed over. */
  readonly complaint: string | undefined;
  /** Plugins whose fault was told lately: see `noticeLines`. */
  readonly told: Map<string, number>;
  /** Told of each cached answer a launch uses, so that it can be kept fresh. */
  readonly onUse?: (question: Question, launch: SharedLaunch) => void;
}

/** A launch that has been planned, for its front and for the record. */
export interface PreparedLaunch {
  readonly kind: 'planned';
  readonly plan: Plan;
  readonly launch: SharedLaunch;
  readonly runtime: RuntimeInfo;
  readonly host: HostedPlugin['host'];
  readonly request: LaunchRequest;
  readonly at: WallTime;
  readonly beganAt: Moment;
  readonly preparedAt: Moment;
  readonly waited: number;
  readonly temperature: 'warm' | 'cold' | 'mixed';
  readonly steps: readonly StepProgress[];
  readonly notes: readonly string[];
  /** Settles when no step of this launch is being asked any more. */
  readonly quiet: Promise<void>;
}

/** What planning came to. */
export type Prepared =
  | PreparedLaunch
  | {readonly kind: 'in-process'}
  | {readonly kind: 'help'; readonly verb: string}
  | {readonly kind: 'refused'; readonly text: string; readonly status: number};

/** Exit status for a command line that makes no sense, as shells and clap have it. */
const usageStatus = 2;

/** Our own failures: what `env`, `nohup` and container tools use for 'the wrapper failed'. */
export const ownFailureStatus = 125;

/**
 * Plans a launch: finds the runtime, takes what the cache has, asks for what is missing and needed, starts checks, and
 * turns it all into a plan. Waits at most for the launch's budget. In the daemon, a launch that wants none is handed back.
 */
export const prepareLaunch = async (
  parts: EngineParts,
  request: LaunchRequest,
  place: 'daemon' | 'in-process',
): Promise<Prepared> => {
  const began = parts.clock.now();
  const begun = await beginLaunch(parts, request, began);
  if (begun.kind !== 'begun') return begun;
  const {launch, plugins, runtime, plugin} = begun;
  // Readiness is watched by whoever starts the target, and only the Node front can: nothing may come between it and the target.
  const {noDaemon, until} = launch.options;
  if (place === 'daemon' && (noDaemon || until !== undefined)) return {kind: 'in-process'};
  for (const {host} of plugins) host.remember(launch);

  const inspected = await inspectSteps(plugins, launch, runtime);
  const running = await startSteps(parts, inspected.questions, launch);
  const waited = await waitForNeeded(parts.clock, running, began + launch.options.budget);
  const steps = running.map(({step}) => step);
  const missing = steps.find(
    (step) => step.question.info.required && step.value === undefined && step.state !== 'read',
  );
  if (missing !== undefined) return requiredMissing(missing);

  const composed = await composeAnswers(plugins, launch, steps, {name: runtime.name, host: plugin.host});
  const planned = await planEdits(plugin, runtime, launch, steps, composed);
  const edits = [...composed.edits, ...planned.edits];
  const notes = [...begun.notes, ...inspected.notes, ...composed.notes, ...planned.notes, ...writePlanFiles(edits)];
  const notices = noticeLines({
    ...begun,
    request,
    steps,
    waited,
    composed,
    edits,
    broken: inspected.notes,
    complaint: parts.complaint,
    told: parts.told,
    now: parts.clock.now(),
  });
  const observe = begun.phases && !request.mergedOutput;
  return {
    kind: 'planned',
    plan: composePlan({launchId: launch.id, kept: begun.kept, edits, notices, observe}),
    launch,
    runtime,
    host: plugin.host,
    request,
    at: begun.at,
    beganAt: began,
    preparedAt: parts.clock.now(),
    waited,
    temperature: temperatureOf(steps),
    steps,
    notes,
    quiet: Promise.all(running.map(({settled}: RunningStep) => settled)).then(() => undefined),
  };
};

/** A launch of which everything is known but the answers. */
export interface Begun {
  readonly kind: 'begun';
  readonly launch: SharedLaunch;
  readonly at: WallTime;
  readonly kept: readonly number[];
  readonly plugins: readonly HostedPlugin[];
  readonly plugin: HostedPlugin;
  readonly runtime: RuntimeInfo;
  readonly notes: readonly string[];
  /** The setting `notices`. */
  readonly show: string;
  readonly phases: boolean;
  readonly complaints: readonly string[];
}

/** Everything that the command line, the environment and the settings say of a launch. */
export const beginLaunch = async (
  parts: EngineParts,
  request: LaunchRequest,
  began: Moment,
): Promise<Begun | Exclude<Prepared, PreparedLaunch>> => {
  const tokens = request.argv.map((arg) => Buffer.from(arg).toString('utf8'));
  const env = environmentOf(request.env);
  const settings = readSettings(parts.configDirectory);
  const plugins = await parts.plugins.all();
  const byVerb = findRuntime(plugins, {verb: tokens[0] ?? ''});
  const parsed = parseCommandLine(tokens, byVerb?.runtime.flags ?? {value: [], plain: []}, byVerb?.runtime.verbs ?? []);
  if (parsed.kind === 'help') return parsed;
  if (parsed.kind === 'usage') return usage(parsed.text, tokens[0]);
  const weighed = weighOptions(parsed.flags, env, settings);
  if (!weighed.ok) return usage(weighed.text, parsed.verb);
  const wanted = weighed.options.runtime;
  const found = wanted === undefined ? byVerb : findRuntime(plugins, {name: wanted, verb: parsed.verb});
  if (found === undefined) {
    // A verb of ours that nobody serves is no fault of the caller's: the plugins did not load.
    if (wanted === undefined) throw new Error(`no plugin serves '${parsed.verb}': ${faultsOf(plugins).join('; ')}`);
    return usage(unknownRuntime(wanted, plugins), parsed.verb);
  }
  const at = (parts.clock.wall() - Math.max(0, began - request.execAt)) as WallTime;
  const launch: SharedLaunch = {
    id: newLaunchId(at),
    verb: parsed.verb,
    runtime: found.runtime.name,
    argv: parsed.kept.map((position) => tokens[position] ?? ''),
    env,
    cwd: Buffer.from(request.cwd).toString('utf8'),
    stdio: request.stdio,
    options: weighed.options,
    updatables: [],
    pluginSettings: settings.plugins,
  };
  const faults = faultsOf(plugins);
  return {
    kind: 'begun',
    launch: await withUpdatables(launch, found, plugins),
    at,
    kept: parsed.kept,
    plugins,
    plugin: found.plugin,
    runtime: found.runtime,
    notes: [...settings.complaints, ...weighed.complaints, ...faults],
    show: weighed.notices,
    phases: weighed.phases,
    complaints: [...settings.complaints, ...weighed.complaints, ...faults],
  };
};

/** Plugins in other threads than the runtime's have to be told; in its own thread it is asked when somebody looks. */
const withUpdatables = async (
  launch: SharedLaunch,
  {plugin: {host}, runtime}: {readonly plugin: HostedPlugin; readonly runtime: RuntimeInfo},
  plugins: readonly HostedPlugin[],
): Promise<SharedLaunch> => {
  if (!runtime.hasUpdatables || plugins.every((plugin) => plugin.host === host)) return launch;
  host.remember(launch);
  const result = await host.call('updatables', {launch: launch.id, runtime: launch.runtime});
  return result.ok ? {...launch, updatables: result.value} : launch;
};

/** `NAME=value` items as a record; an item without a name is none. */
const environmentOf = (items: readonly Uint8Array[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    items.flatMap((item) => {
      const text = Buffer.from(item).toString('utf8');
      const at = text.indexOf('=');
      return at < 1 ? [] : [[text.slice(0, at), text.slice(at + 1)] as const];
    }),
  );

const usage = (text: string, verb: string | undefined): Prepared & {kind: 'refused'} => ({
  kind: 'refused',
  text: `bootcut ${verb ?? ''}: ${text}\nSee 'bootcut ${verb ?? ''} --help'.`,
  status: usageStatus,
});

const faultsOf = (plugins: readonly HostedPlugin[]): readonly string[] =>
  plugins.flatMap(({info}) => (info.fault === undefined ? [] : [`plugin ${info.name}: ${info.fault}`]));

const unknownRuntime = (wanted: string, plugins: readonly HostedPlugin[]): string => {
  const names = plugins.flatMap(({info}) => info.runtimes.map(({name}) => name));
  return `there is no runtime ${wanted}; there are: ${names.join(', ')}`;
};

const requiredMissing = (step: StepProgress): Prepared & {kind: 'refused'} => {
  const {plugin, name} = step.question.ref;
  const cause = step.detail ?? 'the launch budget ran out first';
  return {
    kind: 'refused',
    text: `bootcut: ${plugin}/${name} is required for this launch and has no answer: ${cause}\nRun 'bootcut steps' to see it, or leave it out with --without ${plugin}/${name}.`,
    status: ownFailureStatus,
  };
};
