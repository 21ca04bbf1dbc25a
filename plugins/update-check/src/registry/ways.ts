import {hub} from '../reference.js';
import type {Challenge} from './challenge.js';
import {fetchToken, type Http} from './token.js';

export interface Registry {
  readonly http: Http;
  readonly origin: string;
  readonly repository: string;
  /** Login for this registry, base64 of `user:password`. */
  readonly credentials: string | undefined;
  readonly signal: AbortSignal;
}

/** A way to be let in; gives the value of Authorization, or undefined when it is closed. */
export type Way = () => Promise<string | undefined>;

/** The ways a refusal offers, best first: with the login while there is one, and as nobody once at the end. */
export const waysFrom = (challenges: readonly Challenge[], registry: Registry): readonly Way[] => {
  const {credentials, origin} = registry;
  const bearer = challenges.map((one) => bearerOf(one, origin)).find((one) => one !== undefined);
  const hasBasic = challenges.some(({scheme}) => scheme === 'basic');
  const ways: Way[] = [];
  if (credentials !== undefined) {
    if (bearer !== undefined && isIssuedFor(bearer.realm, origin)) ways.push(withToken(bearer, registry, credentials));
    if (hasBasic) ways.push(() => Promise.resolve(`Basic ${credentials}`));
  }
  if (bearer !== undefined) ways.push(withToken(bearer, registry, undefined));
  return ways;
};

interface Bearer {
  readonly realm: URL;
  readonly challenge: Challenge;
}

/** A realm over plain HTTP is taken from a registry that is itself spoken to in plain HTTP only. */
const bearerOf = (challenge: Challenge, origin: string): Bearer | undefined => {
  const {realm = ''} = challenge.parameters;
  if (challenge.scheme !== 'bearer' || !URL.canParse(realm)) return undefined;
  const url = new URL(realm);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && origin.startsWith('http:'));
  url.username = url.password = '';
  return isSafe ? {realm: url, challenge} : undefined;
};

/** A login is for the registry's own address; Docker Hub's is also for its token server. */
const isIssuedFor = (realm: URL, origin: string): boolean =>
  realm.origin === origin || (origin === `https://${hub}` && realm.origin === 'https://auth.docker.io');

const withToken =
  ({realm, challenge}: Bearer, {http, repository, signal}: Registry, credentials: string | undefined): Way =>
  async () => {
    const token = await fetchToken({http, realm, challenge, repository, credentials, signal});
    return token === undefined ? undefined : `Bearer ${token}`;
  };
