import {existsSync, readFileSync} from 'node:fs';
import {isAbsolute} from 'node:path';
import {findExecutable, type Launch} from 'bootcut/plugin';

type Place = Pick<Launch, 'env' | 'cwd'>;

/** Variables that give `gh` a token, and with it an account, for any host. Empty ones count as unset. */
export const tokenVariables = ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] as const;

/** gh's configuration directory by gh's own rule; undefined when that is not an absolute path. */
export const ghConfigDirectory = ({env}: Place): string | undefined => {
  const own = env['GH_CONFIG_DIR'] ?? '';
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  const directory = own !== '' ? own : xdg !== '' ? `${xdg}/gh` : `${env['HOME'] ?? ''}/.config/gh`;
  return isAbsolute(directory) ? directory : undefined;
};

/** Does a variable give gh a token? Then its files do not tell the account. */
export const hasTokenVariable = ({env}: Place): boolean => tokenVariables.some((name) => (env[name] ?? '') !== '');

/** `gh api user` cannot succeed: no gh, or no account in its files and none by variable. Starts no process. */
export const ghHasNoAccount = (launch: Place): boolean => {
  if (findExecutable(launch, 'gh') === undefined) return true;
  const directory = ghConfigDirectory(launch);
  return !hasTokenVariable(launch) && directory !== undefined && !existsSync(`${directory}/hosts.yml`);
};

/**
 * Could `login` be the account that `gh api user` answers for? False when gh's own files name another one, or when the
 * account comes by variable and so cannot be told.
 */
export const mayBeActiveLogin = (launch: Place, login: string): boolean => {
  const host = launch.env['GH_HOST'] ?? '';
  const directory = ghConfigDirectory(launch);
  if (hasTokenVariable(launch) || (host !== '' && host !== 'github.com') || directory === undefined) return false;
  const active = activeLogin(`${directory}/hosts.yml`);
  return active === undefined || active.toLowerCase() === login.toLowerCase();
};

/** The `user:` of github.com in gh's hosts.yml; undefined when the file or the entry is not there. */
const activeLogin = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, 'utf8');
    const section = /^["']?github\.com["']?:[^\n]*\n((?:[ \t]+[^\n]*\n?|\n)*)/m.exec(text)?.[1] ?? '';
    return /^[ \t]+user:[ \t]*["']?([A-Za-z0-9-]+)/m.exec(section)?.[1];
  } catch {
    return undefined;
  }
};
