import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Launch} from 'bootcut/plugin';

/** The host whose token is meant: GH_HOST, else github.com. */
export const githubHost = (launch: Launch): string => {
  const host = (launch.env['GH_HOST'] ?? '').toLowerCase();
  return host === '' || host.endsWith('.github.com') ? 'github.com' : host;
};

/** Is this github.com itself, and not a company's server? */
export const isGithub = (host: string): boolean => host === 'github.com';

/**
 * Is gh logged in to other hosts but not to github.com? Asked without a host, gh then answers with the token of the
 * only host it knows.
 */
export const knowsOnlyOthers = (launch: Launch): boolean => {
  const hosts = knownHosts(launch);
  return hosts.length > 0 && !hosts.some(isGithub);
};

/** The top level of hosts.yml, gh's list of accounts: one line without indentation for each host. */
const knownHosts = (launch: Launch): readonly string[] => {
  const directory = configDirectory(launch);
  if (directory === undefined) return [];
  try {
    const lines = readFileSync(join(directory, 'hosts.yml'), 'utf8').split('\n');
    return lines.flatMap((line) => /^["']?([^\s"'#{}-][^\s"'#]*?)["']?\s*:/.exec(line)?.[1]?.toLowerCase() ?? []);
  } catch {
    return [];
  }
};

/** Where gh keeps its accounts, by its own rule. */
const configDirectory = ({env, cwd}: Launch): string | undefined => {
  if (env['GH_CONFIG_DIR']) return resolve(cwd, env['GH_CONFIG_DIR']);
  if (env['XDG_CONFIG_HOME']) return resolve(cwd, env['XDG_CONFIG_HOME'], 'gh');
  return env['HOME'] ? resolve(cwd, env['HOME'], '.config', 'gh') : undefined;
};
