import {existsSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Launch} from 'bootcut/plugin';

/** Host that gh and its variables mean when they name none. */
export const defaultHost = 'github.com';

/** The host this launch's gh talks to, by GH_HOST; github.com without it. */
export const githubHost = (launch: Launch): string => {
  const host = (launch.env['GH_HOST'] ?? '').toLowerCase();
  return host === '' || host.endsWith('.github.com') ? defaultHost : host;
};

/** The token that the environment holds for that host, never one for another host. */
export const environmentToken = (launch: Launch, host: string): string | undefined => {
  const names =
    host === defaultHost ? ['GH_TOKEN', 'GITHUB_TOKEN'] : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
  return names.map((name) => launch.env[name]).find((token) => token !== undefined && token !== '');
};

/** Where gh keeps accounts and settings, by its own rule; undefined when the launch has no home. */
export const ghConfigDirectory = ({env, cwd}: Launch): string | undefined => {
  if (env['GH_CONFIG_DIR']) return resolve(cwd, env['GH_CONFIG_DIR']);
  if (env['XDG_CONFIG_HOME']) return resolve(cwd, env['XDG_CONFIG_HOME'], 'gh');
  return env['HOME'] ? join(resolve(cwd, env['HOME']), '.config', 'gh') : undefined;
};

/** The launch's directory, or the root when it has been deleted: gh's answer does not depend on it. */
export const workingDirectory = (launch: Launch): string => (existsSync(launch.cwd) ? launch.cwd : '/');
