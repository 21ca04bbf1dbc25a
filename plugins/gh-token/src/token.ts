import {existsSync} from 'node:fs';
import {type Launch, NoAnswer, run} from 'bootcut/plugin';
import {githubHost, isGithub, knowsOnlyOthers} from './host.js';

/** The token in the launch's environment for the host that is meant, in gh's order. Never one for another host. */
export const environmentToken = (launch: Launch): string | undefined => {
  const names = isGithub(githubHost(launch)) ? own : enterprise;
  return names.map((name) => launch.env[name]).find((token) => token !== undefined && token !== '');
};

/** The token that gh keeps for the host that is meant. */
export const storedToken = async (launch: Launch, signal: AbortSignal): Promise<string> => {
  const host = githubHost(launch);
  if (isGithub(host) && knowsOnlyOthers(launch)) throw noToken();
  const result = await run(launch, ['gh', 'auth', 'token', ...(isGithub(host) ? [] : ['--hostname', host])], {
    signal,
    cwd: existsSync(launch.cwd) ? launch.cwd : '/',
    env: {...Object.fromEntries(foreign(host).map((name) => [name, undefined])), GH_PROMPT_DISABLED: '1'},
  });
  const token = result.stdout.replace(/\r?\n$/, '');
  if (result.code !== 0 || token === '') throw noToken();
  return token;
};

const own = ['GH_TOKEN', 'GITHUB_TOKEN'];
const enterprise = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];

/** Some versions of gh give any token in the environment for an answer, whatever the host. */
const foreign = (host: string): readonly string[] => (isGithub(host) ? enterprise : own);

const noToken = (): NoAnswer => new NoAnswer('not-logged-in', 'gh has no token for this host');
