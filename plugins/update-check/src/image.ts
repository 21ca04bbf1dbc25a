import {
  check,
  days,
  hashed,
  hours,
  type Launch,
  NoAnswer,
  type ReadTools,
  seconds,
  type Tagged,
  type Unchanged,
} from 'bootcut/plugin';
import {architecture, type Image, imageOf, parseImage} from './image-digests.js';
import {imageNotice} from './image-notice.js';
import {type ImageReference, originOf, parseReference} from './reference.js';
import {registryCredentials} from './registry/credentials.js';
import {fetchManifest} from './registry/manifest.js';
import {proxies} from './surroundings.js';
import {thingsOf} from './things.js';

/** Has the registry another image under the tag than the user has? */
export const image = check<Image>({
  name: 'image',
  items: (launch) =>
    thingsOf(launch, 'oci')
      .map(({name}) => name)
      .filter((name) => !isPinned(name)),
  key: (launch) => {
    const reference = parseReference(launch.item ?? '');
    const login = reference === undefined ? undefined : registryCredentials(launch, reference.registry);
    return [launch.item, architecture(), proxies(launch), hashed(login)];
  },
  // A tag such as `latest` moves several times a day where it moves at all; a HEAD costs no pull at Docker Hub.
  freshFor: hours(1),
  keepFor: days(7),
  limit: seconds(10),
  private: false,
  read: readImage,
  asks: (launch) => {
    const reference = parseReference(launch.item ?? '');
    return reference === undefined ? [] : [originOf(reference)];
  },
  parse: parseImage,
  notice: imageNotice,
});

const isPinned = (name: string): boolean => parseReference(name)?.digest !== undefined;

async function readImage(launch: Launch, tools: ReadTools): Promise<Image | Tagged<Image> | Unchanged> {
  const reference = parseReference(launch.item ?? '');
  if (reference === undefined) {
    // It will not get better by itself: said once, and not again for as long as answers are kept.
    throw new NoAnswer('malformed', 'the image reference is not valid', {retryAfter: days(7)});
  }
  const known = tools.previous === undefined ? undefined : parsed(tools.previous);
  const found = await fetchManifest(launch, {
    reference,
    known: known === undefined ? undefined : {digest: known.digest, etag: tools.etag},
    signal: tools.signal,
  });
  if (found === 'unchanged') return {unchanged: true};
  const value = imageOf(found.body, nameOf(reference));
  return found.etag === undefined ? value : {value, etag: found.etag};
}

const nameOf = (reference: ImageReference): string => `${new URL(originOf(reference)).host}/${reference.repository}`;

const parsed = (stored: unknown): Image | undefined => {
  try {
    return parseImage(stored);
  } catch {
    return undefined;
  }
};
