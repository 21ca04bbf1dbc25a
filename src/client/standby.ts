import type {Directories} from '../config/directories.js';
import {done, failed, type Result} from '../model/failure.js';
import {askDaemon} from '../protocol/ask.js';
import type {StandbyState} from '../protocol/asks.js';
import {callerLaunch} from './caller-launch.js';
import {ensureDaemon} from './ensure-daemon.js';
import {withEngine} from './with-engine.js';
import {workingDirectory} from './working-directory.js';

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
): Promise<Result<{readonly place: string; readonly form: 'paused' | 'saved'}>> => {
  await expectPrograms(directories);
  const found = await withEngine(directories, async ({engine}) => {
    const prepared = await engine.prepare(callerLaunch(tokens), 'in-process');
    if (prepared.kind !== 'planned') return prepared.kind === 'refused' ? {refused: prepared.text} : {refused: ''};
    prepared.ways.close();
    const {refusal} = prepared.plan;
    return refusal === undefined
      ? {runtime: prepared.runtime.name, standby: prepared.ways.wanted}
      : {refused: refusal.text};
  });
  if ('refused' in found) return failed({reason: 'no-standby', detail: firstLine(found.refused)});
  const {runtime, standby} = found;
  if (standby === undefined)
    return failed({reason: 'no-standby', detail: `the runtime ${runtime} offers none for this launch`});
  const daemon = await ensureDaemon(directories);
  if (!daemon.ok) return daemon;
  const {key, command, place, env, memory} = standby;
  const spec = {key: [...key], command: [...command], place, env, memory};
  const ask = {kind: 'standby-start', standby: spec} as const;
  const reply = await askDaemon(directories.socket ?? '', ask, {limit: bootLimit});
  return reply.ok ? done({place, form: reply.value.form ?? 'paused'}) : reply;
};

/** Tells a daemon that runs that somebody is here: it knows which programs were launched from here last. */
const expectPrograms = async ({socket}: Directories): Promise<void> => {
  if (socket !== undefined) await askDaemon(socket, {kind: 'entered', directory: workingDirectory().path});
};

const firstLine = (text: string): string =>
  text.split('\n')[0]?.replace(/^bootcut: /, '') ?? 'this command line is no launch';

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
