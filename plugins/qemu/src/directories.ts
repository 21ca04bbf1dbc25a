import {userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** What setup prepares: kernels, initramfs. Kept for long, made once. */
export const dataDirectory = (env: Environment): string => join(ownDirectory(env, 'DATA', '.local/share'), 'qemu');

/** What launches leave: boot logs of those that failed. */
export const stateDirectory = (env: Environment): string => join(ownDirectory(env, 'STATE', '.local/state'), 'qemu');

/** What can be made again at any time: the guest's copy of /etc. */
export const cacheDirectory = (env: Environment): string => join(ownDirectory(env, 'CACHE', '.cache'), 'qemu');

/** bootcut's own rule, without its checks: the engine has made them by the time a plugin is asked. */
const ownDirectory = (env: Environment, kind: 'DATA' | 'STATE' | 'CACHE', below: string): string => {
  const own = env[`BOOTCUT_${kind}_DIR`];
  if (own !== undefined && isAbsolute(own)) return own;
  const xdg = env[`XDG_${kind}_HOME`];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'bootcut');
  return join(homeDirectory(env) ?? '/nonexistent', below, 'bootcut');
};

/** The user's home: by the environment, else by the system. */
export const homeDirectory = (env: Environment): string | undefined => {
  const given = env['HOME'];
  if (given !== undefined && isAbsolute(given)) return given;
  try {
    return userInfo().homedir;
  } catch {
    return undefined; // a user id without an account, as in many containers
  }
};
