import type {Directories} from '../config/directories.js';
import {questionsOf} from '../launch/inspect-launch.js';
import {standbyFor} from '../launch/target-ways.js';
import {done, failed, type Result} from '../model/failure.js';
import {askDaemon} from '../protocol/ask.js';
import type {StandbyState} from '../protocol/asks.js';
import {callerLaunch} from './caller-launch.js';
import {ensureDaemon} from './ensure-daemon.js';
import {withEngine} from './with-engine.js';

/** How long a VM may take to boot while somebody waits for it, in milliseconds. */
const bootLimit = 120_000;

/** What the daemon keeps; nothing without a daemon. */
export const listStandbys = async ({socket}: Directories): Promise<Result<readonly StandbyState[]>> => {
  if (socket === undefined) return done([]);
  const reply = await askDaemon(socket, {kind: 'standby-list'});
  if (reply.ok) return done(reply.value.standbys);
  return reply.failure.reason === 'daemon-not-running' ? done([]) : reply;
};

/** Has the daemon boot one for launches like `bootcut ...tokens` from here; returns when it is ready. */
export const startStandby = async (
  directories: Directories,
  tokens: readonly string[],
): Promise<Result<{readonly place: string}>> => {
  const wanted = await withEngine(directories, async ({engine}) => {
    const launch = await questionsOf(engine.parts, callerLaunch(tokens));
    if (launch.kind !== 'begun') return undefined;
    const {plugin, runtime, launch: shared} = launch.begun;
    return {runtime: runtime.name, standby: await standbyFor(plugin, runtime, shared)};
  });
  if (wanted === undefined) return failed({reason: 'bad-argument', detail: 'this command line is no launch'});
  const {runtime, standby} = wanted;
  if (standby === undefined)
    return failed({reason: 'no-standby', detail: `the runtime ${runtime} offers none for this launch`});
  const daemon = await ensureDaemon(directories);
  if (!daemon.ok) return daemon;
  const socket = directories.socket ?? '';
  const reply = await askDaemon(
    socket,
    {kind: 'standby-start', standby: {...standby, spec: mutable(standby.spec)}},
    {
      limit: bootLimit,
    },
  );
  return reply.ok ? done({place: standby.spec.place}) : reply;
};

/** A schema's type has lists that can be changed; ours have not. */
const mutable = <T extends {readonly key: readonly unknown[]; readonly command: readonly string[]}>(
  spec: T,
): Omit<T, 'key' | 'command'> & {key: unknown[]; command: string[]} => ({
  ...spec,
  key: [...spec.key],
  command: [...spec.command],
});

/** Ends those of a place, or all; says how many there were. */
export const dropStandbys = async (
  {socket}: Directories,
  place: string | undefined,
): Promise<Result<{readonly dropped: number}>> => {
  if (socket === undefined) return done({dropped: 0});
  const reply = await askDaemon(socket, {kind: 'standby-drop', ...(place === undefined ? {} : {place})});
  if (reply.ok) return done(reply.value);
  return reply.failure.reason === 'daemon-not-running' ? done({dropped: 0}) : reply;
};
