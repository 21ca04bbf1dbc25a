import {join, resolve} from 'node:path';
import type {Launch} from 'bootcut/plugin';
import {hub} from '../reference.js';
import {readSmallFile} from '../surroundings.js';

/**
 * The login `docker login` keeps for a registry, in the form of a Basic header: base64 of `user:password`. Only what
 * stands in the file itself; a credential helper would be a program started for a question nobody waits for.
 */
export const registryCredentials = (launch: Launch, registry: string): string | undefined => {
  const directory = configDirectory(launch);
  const text = directory === undefined ? undefined : readSmallFile(join(directory, 'config.json'));
  const auths = text === undefined ? undefined : field(parsed(text), 'auths');
  if (typeof auths !== 'object' || auths === null) return undefined;
  const entry = Object.entries(auths).find(([address]) => hostOf(address) === registry)?.[1] as unknown;
  const auth = field(entry, 'auth');
  return typeof auth === 'string' ? userAndPassword(auth) : undefined;
};

const configDirectory = ({env, cwd}: Launch): string | undefined => {
  const {DOCKER_CONFIG: configured = '', HOME: home = ''} = env;
  if (configured !== '') return resolve(cwd, configured);
  return home === '' ? undefined : join(home, '.docker');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Keys are hosts, or addresses as older versions wrote them (`https://index.docker.io/v1/`). */
const hostOf = (address: string): string => {
  const host = address.replace(/^https?:\/\//, '').replace(/\/.*$/s, '');
  return host === 'docker.io' || host === 'index.docker.io' ? hub : host;
};

/** Decoded and encoded again, so that nothing but base64 can reach a header. */
const userAndPassword = (auth: string): string | undefined => {
  // Docker pads the text with NUL bytes in old files.
  const pair = Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '');
  return /^[^:]+:.+$/s.test(pair) ? Buffer.from(pair).toString('base64') : undefined;
};
