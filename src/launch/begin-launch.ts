import {basename} from 'node:path';
import {readSettings} from '../config/settings.js';
import type {LaunchRequest, ProgramHosts} from '../model/launch.js';
import type {WallTime} from '../model/units.js';
import {newLaunchId} from '../record/launch-id.js';
import type {RuntimeInfo, SharedLaunch} from '../steps/messages.js';
import {weighOptions} from './options.js';
import {parseForRuntime} from './parse-for-runtime.js';
import {indexOf} from './plugin-index.js';
import {findRuntime, type HostedPlugin} from './plugin-set.js';
import type {EngineParts, Prepared, PreparedLaunch} from './prepare.js';
import {type NamedRuntime, runtimeVariants} from './runtime-variants.js';

/** Exit status for a command line that makes no sense, as shells and clap have it. */
const usageStatus = 2;

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
  readonly optimizations: boolean;
  readonly holdback: number;
  readonly complaints: readonly string[];
}

/** Everything that the command line, the environment and the settings say of a launch. */
export const beginLaunch = async (
  parts: EngineParts,
  request: LaunchRequest,
): Promise<Begun | Exclude<Prepared, PreparedLaunch>> => {
  const tokens = request.argv.map(textOf);
  const env = environmentOf(request.env);
  const settings = readSettings(parts.configDirectory);
  const plugins = await parts.plugins.all();
  const byVerb = findRuntime(plugins, {verb: tokens[0] ?? ''});
  const {runtimes, faults, programHosts} = indexOf(plugins);
  const parsed = parseForRuntime(runtimes, tokens, byVerb?.runtime, (flags) => {
    const weighed = weighOptions(flags, env, settings);
    return weighed.ok ? weighed.options.runtime : undefined;
  });
  if (parsed.kind === 'help') return parsed;
  if (parsed.kind === 'usage') return usage(parsed.text, tokens[0]);
  const weighed = weighOptions(parsed.flags, env, settings);
  if (!weighed.ok) return usage(weighed.text, parsed.verb);
  const wanted = runtimeFor(parsed, weighed.options.runtime, plugins);
  const own = wanted === undefined ? byVerb : findRuntime(plugins, {name: wanted, verb: parsed.verb});
  const variants = own === undefined ? await runtimeVariants(plugins, settings) : [];
  const found = own ?? variants.find(({runtime}) => runtime.name === wanted);
  if (found === undefined) {
    // A verb of ours that nobody serves is no fault of the caller's: the plugins did not load.
    if (wanted === undefined) throw new Error(`no plugin serves '${parsed.verb}': ${faults.join('; ')}`);
    return usage(unknownRuntime(wanted, plugins, variants), parsed.verb);
  }
  const at = (parts.clock.wall() - Math.max(0, parts.clock.now() - request.execAt)) as WallTime;
  const argv = parsed.kept.map((position) => tokens[position] ?? '');
  const hosts = hostsOf(programHosts, argv[0] ?? '');
  const launch: SharedLaunch = {
    id: newLaunchId(at),
    verb: parsed.verb,
    runtime: found.runtime.name,
    argv,
    ...(hosts.length === 0 ? {} : {hosts}),
    env,
    cwd: textOf(request.cwd),
    stdio: request.stdio,
    options: weighed.options,
    updatables: [],
    pluginSettings: settings.plugins,
  };
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
    optimizations: weighed.optimizations,
    holdback: weighed.holdback,
    complaints: [...settings.complaints, ...weighed.complaints, ...faults],
  };
};

/**
 * The runtime that is asked for: by the flag whatever the verb is; by setting or variable, which are for all launches, where
 * that runtime knows the verb. `claude` is agent-vm's alone, whichever VM `shell` boots.
 */
const runtimeFor = (
  {verb, flags}: {readonly verb: string; readonly flags: ReadonlyMap<string, unknown>},
  wanted: string | undefined,
  plugins: readonly HostedPlugin[],
): string | undefined => {
  if (wanted === undefined || flags.has('runtime') || verb === 'run') return wanted;
  const named = indexOf(plugins).runtimes.find(({name, hasVariants}) => name === wanted && !hasVariants);
  // One that names no verbs takes them all.
  return named === undefined || named.verbs.length === 0 || named.verbs.includes(verb) ? wanted : undefined;
};

/** What plugins say that a program connects to. */
const hostsOf = (named: readonly ProgramHosts[], command: string): readonly string[] =>
  named.flatMap(({program, hosts}) => (program === basename(command) ? hosts : []));

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
const environmentOf = (items: readonly Uint8Array[]): Readonly<Record<string, string>> => {
  const assignments: [string, string][] = [];
  for (const item of items) {
    const text = textOf(item);
    const at = text.indexOf('=');
    if (at > 0) assignments.push([text.slice(0, at), text.slice(at + 1)]);
  }
  return Object.fromEntries(assignments);
};

/** Without a copy of the bytes, and in the daemon without another object: a launch has some hundred texts. */
const textOf = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('utf8');

const usage = (text: string, verb: string | undefined): Prepared & {kind: 'refused'} => ({
  kind: 'refused',
  text: `bootcut ${verb ?? ''}: ${text}\nSee 'bootcut ${verb ?? ''} --help'.`,
  status: usageStatus,
});

const unknownRuntime = (
  wanted: string,
  plugins: readonly HostedPlugin[],
  variants: readonly NamedRuntime[],
): string => {
  const runtimes = indexOf(plugins).runtimes.filter(({hasVariants}) => !hasVariants);
  const names = [...runtimes, ...variants.map(({runtime}) => runtime)].map(({name}) => name);
  return `there is no runtime ${wanted}; there are: ${names.join(', ')}`;
};
