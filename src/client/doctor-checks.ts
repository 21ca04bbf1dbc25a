import {realpathSync} from 'node:fs';
import {join} from 'node:path';
import type {Directories} from '../config/directories.js';
import type {Settings} from '../config/settings.js';
import type {ShownSetting} from '../config/shown-settings.js';
import type {Result} from '../model/failure.js';
import type {DoctorFinding} from '../model/inspection.js';
import type {LaunchRecord} from '../model/record.js';
import type {DaemonStatus} from '../protocol/asks.js';
import {compareBuilds} from '../protocol/greeting.js';
import {buildId} from '../system/build-id.js';
import {findExecutable} from '../system/find-executable.js';
import {installationRoot} from '../system/installation.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Oldest Node that bootcut is made for. */
const oldestNode = [20, 19] as const;

export const nodeFinding = (version: string): DoctorFinding => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const about = {area: 'bootcut', name: 'node'};
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]))
    return {...about, state: 'ok', text: version};
  return {
    ...about,
    state: 'fault',
    text: `${version} is too old`,
    advice: `Use Node ${oldestNode.join('.')} or later.`,
  };
};

/** Is the `bootcut` that a shell would find this one? */
export const commandFinding = (env: Environment, cwd: string): DoctorFinding => {
  const about = {area: 'bootcut', name: 'command'};
  const found = findExecutable({env: defined(env), cwd}, 'bootcut');
  if (found === undefined) {
    const text = `bootcut is not on the PATH; this one is ${join(installationRoot, 'bin', 'bootcut')}`;
    return {...about, state: 'warning', text, advice: 'Put it there, so that launches can find it.'};
  }
  const isThis = realPath(found).startsWith(`${realPath(installationRoot)}/`);
  if (isThis) return {...about, state: 'ok', text: `${found}, build ${buildId}`};
  const text = `the PATH leads to another bootcut, ${found}; this one is in ${installationRoot}`;
  return {...about, state: 'warning', text, advice: 'Launches by its name use that one.'};
};

export const directoryFindings = (directories: Directories): readonly DoctorFinding[] => {
  const {state, cache, config, data, socket, complaints} = directories;
  const place = (name: string, path: string | undefined, without: string): DoctorFinding =>
    path === undefined
      ? {area: 'directories', name, state: 'fault', text: without}
      : {area: 'directories', name, state: 'ok', text: path};
  return [
    place('state', state, 'none can be had: nothing is recorded, and no daemon runs'),
    place('cache', cache, 'none can be had: answers are not kept'),
    place('config', config, ''),
    place('plugins', data, ''),
    place('socket', socket, 'none can be had: no daemon runs'),
    ...complaints.map((text) => ({area: 'directories', name: 'passed over', state: 'warning' as const, text})),
  ];
};

export const configurationFindings = ({complaints}: Settings): readonly DoctorFinding[] =>
  complaints.map((text) => ({
    area: 'configuration',
    name: 'file',
    state: 'fault',
    text,
    advice: "'bootcut config path' says where it is, 'bootcut config list' what is in force.",
  }));

/** A daemon that is not there is no fault, unless it tried and failed; one that cannot be used is. */
export const daemonFindings = (
  status: Result<DaemonStatus>,
  use: Pick<ShownSetting, 'value' | 'origin' | 'variable'>,
): readonly DoctorFinding[] => {
  const off = use.origin === 'environment' ? (use.variable ?? '') : 'the setting daemon';
  const turnedOff: readonly DoctorFinding[] =
    use.value === false
      ? [{area: 'daemon', name: 'use', state: 'warning', text: `launches do without the daemon, because of ${off}`}]
      : [];
  return [...turnedOff, stateFinding(status)];
};

const stateFinding = (status: Result<DaemonStatus>): DoctorFinding => {
  const about = {area: 'daemon', name: 'state'};
  if (status.ok) {
    const {pid, build} = status.value;
    const running = `running as process ${pid}, build ${build}`;
    if (build === buildId) return {...about, state: 'ok', text: running};
    return compareBuilds(build, buildId) < 0
      ? {
          ...about,
          state: 'warning',
          text: `${running}, older than this one: the next launch replaces it once it is idle`,
        }
      : {...about, state: 'warning', text: `${running}, not this one's: launches of this one go on without it`};
  }
  const {failure} = status;
  if (failure.reason === 'daemon-unreachable') {
    const advice = "'bootcut daemon restart' replaces it.";
    return {...about, state: 'fault', text: `it cannot be talked to: ${failure.detail}`, advice};
  }
  if (failure.reason === 'daemon-not-running' && failure.lastStart === undefined)
    return {...about, state: 'ok', text: 'not running; the next launch starts it'};
  if (failure.reason === 'daemon-not-running')
    return {...about, state: 'fault', text: `not running; the last start failed: ${failure.lastStart?.detail ?? ''}`};
  return {...about, state: 'fault', text: 'it has no place to run: see directories'};
};

const tools: readonly (readonly [name: string, use: string])[] = [
  ['git', 'needed for git identities and repositories'],
  ['gh', 'needed for the GitHub identity, look-ups of repositories and tokens'],
  ['npm', 'needed to install plugins'],
];

export const toolFindings = (env: Environment, cwd: string): readonly DoctorFinding[] =>
  tools.map(([name, use]) => {
    const found = findExecutable({env: defined(env), cwd}, name);
    const about = {area: 'programs', name};
    return found === undefined
      ? {...about, state: 'warning', text: `not on the PATH; ${use}`}
      : {...about, state: 'ok', text: found};
  });

/** How many of the newest launches the daemon served, and why not the others. */
export const launchesFinding = (records: readonly LaunchRecord[]): DoctorFinding => {
  const about = {area: 'launches', name: 'by the daemon'};
  if (records.length === 0) return {...about, state: 'ok', text: 'no launch is on record yet'};
  const without = records.filter(({via}) => via !== 'daemon');
  const reasons = new Map<string, number>();
  for (const {viaReason = 'unknown'} of without) reasons.set(viaReason, (reasons.get(viaReason) ?? 0) + 1);
  const why = [...reasons].sort(([, a], [, b]) => b - a).map(([reason, times]) => `${times} × ${reason}`);
  const text = `${records.length - without.length} of the newest ${records.length}${why.length === 0 ? '' : `; without it: ${why.join(', ')}`}`;
  return {...about, state: without.length * 2 > records.length ? 'warning' : 'ok', text};
};

const defined = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};
