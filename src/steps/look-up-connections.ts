import type {Json} from '../model/json.js';
import {connectionAhead} from '../model/record.js';
import type {Step} from '../model/step.js';
import {type LaunchId, type Moment, toMicro} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import type {AheadConnection} from './http-ahead.js';
import type {Calls, ReadAnswer, SharedLaunch, StepRef} from './messages.js';
import {findStep, launchFor, type PluginSide} from './plugin-side.js';

/**
 * The plugin that connects ahead. Its settings and its name in `--without` count for our own look-ups too, though it is not
 * its code that connects: that has to be done in the thread of the plugin that will ask.
 */
const plugin = 'preconnect';

/** For this long a connection is held that nobody uses: many servers close theirs after half a minute. Seconds. */
const usualHold = 20;
const longestHold = 60;

/** Addresses of one look-up. */
const mostAddresses = 2;

/** Milliseconds for which connections of a launch's look-ups are held; undefined: it wants none. */
const holdFor = ({pluginSettings, options}: SharedLaunch): number | undefined => {
  const {lookUps, seconds} = pluginSettings[plugin] ?? {};
  if (lookUps === false || lookUps === 'false' || options.without.includes(plugin)) return undefined;
  const wanted = typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : usualHold;
  return Math.min(Math.max(wanted, 1), longestHold) * 1000;
};

/** Addresses that the read of a step says it will ask. A stranger's plugin may say anything, or throw. */
const addressesOf = (side: PluginSide, launch: SharedLaunch, ref: StepRef): readonly string[] => {
  try {
    const step: Step = findStep(side, ref);
    if (!('asks' in step)) return [];
    const said: unknown = step.asks(launchFor(side, launch.id, ref.plugin, ref.item));
    return Array.isArray(said) ? said.filter((one) => typeof one === 'string').slice(0, mostAddresses) : [];
  } catch {
    return [];
  }
};

/** `beside`: the requests may be out already, and one of them finds no use for a second connection. */
const connectFor = async (side: PluginSide, id: LaunchId, refs: readonly StepRef[], beside = false) => {
  const launch = side.launches.get(id);
  const limit = launch === undefined ? undefined : holdFor(launch);
  if (launch === undefined || limit === undefined) return [];
  const addresses = new Set(refs.flatMap((ref) => addressesOf(side, launch, ref)));
  if (addresses.size === 0) return [];
  // With node:tls: not before it is wanted.
  const [{connectAhead}, {isConnected}] = await Promise.all([import('./http-ahead.js'), import('./http-agents.js')]);
  const options = {holdFor: limit, ...(beside ? {unless: isConnected} : {})};
  const made = await Promise.all([...addresses].map(async (address) => await connectAhead(launch, address, options)));
  return [...new Set(made.filter((one) => one !== undefined))];
};

/**
 * Does the work of a read while connections to the hosts that it will ask are made beside it: it has a client to load, a
 * token to find, files to look at first. What it did not use is closed when it is done; what it used is among its spans.
 */
export const besideConnections = async <T>(
  side: PluginSide,
  {launch, ref}: Pick<Calls['read']['args'], 'launch' | 'ref'>,
  spans: ReadAnswer['spans'][number][],
  work: () => Promise<T>,
): Promise<T> => {
  const from = systemClock.now();
  let isOver = false;
  const connecting = connectFor(side, launch, [ref], true).catch(() => []);
  let made: readonly AheadConnection[] = [];
  void connecting.then((connections) => {
    made = connections;
    if (isOver) dropOwn(made, from);
  });
  try {
    return await work();
  } finally {
    isOver = true;
    for (const {isUsed, beganAt, readyAt} of made) {
      if (!isUsed || readyAt === undefined) continue;
      spans.push({
        name: connectionAhead,
        from: Math.max(beganAt, from) as Moment,
        to: Math.max(readyAt, from) as Moment,
      });
    }
    dropOwn(made, from);
  }
};

/** One that was there before this read began is held for others too. */
const dropOwn = (connections: readonly AheadConnection[], from: number): void => {
  for (const connection of connections) {
    if (connection.beganAt >= from) connection.drop();
  }
};

/**
 * Connects to the hosts that look-ups of an expected launch will ask, and holds that until each is used, closed or too old.
 * Says what each was good for, by `host:port`; null where nothing was to be done.
 */
export const connectLookUps = async (
  side: PluginSide,
  {launch, refs}: Calls['connect']['args'],
  signal: AbortSignal,
): Promise<Json> => {
  const made = await connectFor(side, launch, refs);
  const dropAll = (): void => {
    for (const connection of made) connection.drop();
  };
  if (signal.aborted) dropAll();
  else signal.addEventListener('abort', dropAll, {once: true});
  const reports = await Promise.all(made.map(report));
  signal.removeEventListener('abort', dropAll);
  return reports.length === 0 ? null : Object.fromEntries(reports);
};

const report = async (connection: AheadConnection): Promise<readonly [string, Json]> => {
  await connection.ended;
  const tls = await connection.tls; // of one that was used before it stood, too
  const {name, beganAt, readyAt, isUsed} = connection;
  return [
    name,
    {
      connected: readyAt === undefined ? 0 : 1,
      used: isUsed ? 1 : 0,
      ...(readyAt === undefined ? {} : {connectMs: toMicro(readyAt - beganAt)}),
      tls,
    },
  ];
};
