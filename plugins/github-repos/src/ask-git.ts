import {lstatSync} from 'node:fs';
import {join} from 'node:path';
import {type Launch, run} from 'bootcut/plugin';

/** What agent-vm puts in front of every question, so that a hostile repository's configuration runs nothing. */
const careful = [
  'core.fsmonitor=',
  'core.fsmonitorHookVersion=',
  'core.pager=cat',
  'core.editor=:',
  'safe.directory=*',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);

/** agent-vm's further variables: the repository's own configuration and no other. */
export const repositoryOnly = {GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_GLOBAL: '/dev/null'};

/** Traces are for the questions of the user, not for ours. */
const untraced = {GIT_TRACE: undefined, GIT_TRACE_SETUP: undefined, GIT_TRACE2: undefined, GIT_TRACE2_EVENT: undefined};

/** How to ask git. */
export interface GitQuestion {
  readonly args: readonly string[];
  /** Changes to the launch's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** What git prints, or nothing when it refuses (no repository here). */
export const askGit = async (launch: Launch, {args, env, signal}: GitQuestion): Promise<string> => {
  // Every path in the questions is absolute, so that a deleted project directory disturbs none of them.
  const result = await run(launch, ['git', ...careful, ...args], {signal, cwd: '/', env: {...untraced, ...env}});
  return result.code === 0 ? result.stdout : '';
};

/** Addresses of a directory's remotes, for fetch and for push, with `insteadOf` of the configuration that is read. */
export const remoteAddresses = async (
  launch: Launch,
  directory: string,
  {env = {}, signal}: Omit<GitQuestion, 'args'>,
): Promise<readonly string[]> => {
  const text = await askGit(launch, {args: ['-C', directory, 'remote', '-v'], env, signal});
  return text.split('\n').flatMap((line) => /^[^\t]*\t(.*) \((?:fetch|push)\)/.exec(line)?.[1] ?? []);
};

/** Addresses of submodules, one level deep. A `.gitmodules` that is a link could lead anywhere and is not read. */
export const submoduleAddresses = async (
  launch: Launch,
  directory: string,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const file = join(directory, '.gitmodules');
  if (lstatSync(file, {throwIfNoEntry: false})?.isFile() !== true) return [];
  const args = ['config', '-f', file, '--get-regexp', String.raw`^submodule\..*\.url$`];
  const text = await askGit(launch, {args, env: repositoryOnly, signal});
  // Names can hold blanks.
  return text.split('\n').flatMap((line) => /^submodule\..*?\.url (.*)$/.exec(line)?.[1]?.trim() ?? []);
};
