import type {Got} from 'got';
import type {Launch} from '../model/launch.js';

/** What {@link httpClient} needs of a launch. */
export type HttpLaunch = Pick<Launch, 'env' | 'cwd'>;

/**
 * A got instance for this launch: its proxy variables, its extra CA certificates, nothing of this process's own. It
 * keeps direct connections for two seconds, for the next request of the same look-up, and tries again only where one of
 * those had been closed meanwhile. It keeps at most 1 MiB of an answer, follows at most five redirects and never one from
 * HTTPS to plain HTTP, and sends `Authorization` to no other origin. Time limits come from the `signal` of each request.
 *
 * Whatever is not an answer is thrown as a NoAnswer with its own reason. A status outside 200–299 and 304 is not an
 * answer, unless the request lists it: `context: {answers: [401, 404]}`, or `'any'`. With an `accept` that names JSON,
 * anything else under 2xx is not an answer either.
 */
export const httpClient = async (launch: HttpLaunch): Promise<Got> => {
  // got and node:http cost 40–120 ms to load: never before a request is about to be made.
  const [{got}, {clientOptions}] = await Promise.all([import('got'), import('./http-options.js')]);
  return got.extend(await clientOptions(launch));
};
