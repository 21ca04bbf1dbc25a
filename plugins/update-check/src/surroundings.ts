import {readFileSync, statSync} from 'node:fs';
import {hashed, type Launch} from 'bootcut/plugin';

const proxyNames = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];

/** One value for all that decides the way to the network; hashed, since a proxy's address may hold a password. */
export const proxies = ({env}: Launch): string | null => {
  const names = proxyNames.flatMap((name) => [name, name.toUpperCase()]);
  return hashedVariables(env, [...names, 'REQUEST_METHOD']);
};

/** One value for these variables, null when none is set. */
export const hashedVariables = (env: Launch['env'], names: readonly string[]): string | null => {
  const set = names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]);
  return set.length === 0 ? null : hashed(JSON.stringify(set));
};

/** Configuration files of docker and npm are a few kB; what is larger than 1 MiB is something else. */
const fileLimit = 1_048_576;

/** A small configuration file, undefined when it is not there or not a plain file. Some 20 µs. */
export const readSmallFile = (path: string): string | undefined => {
  try {
    const stat = statSync(path, {throwIfNoEntry: false});
    if (stat === undefined || !stat.isFile() || stat.size > fileLimit) return undefined;
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
