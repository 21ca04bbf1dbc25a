import type {Launch} from 'bootcut/plugin';
import type {Image} from './image-digests.js';
import {thingOf} from './things.js';
import {twoLines} from './two-lines.js';

/**
 * Says so when none of the digests the user has is one that the registry serves, as index or for this platform: both
 * kinds are compared, since tools differ in which one they keep.
 */
export const imageNotice = (image: Image, launch: Launch): string | undefined => {
  const thing = thingOf(launch, 'oci');
  const have = (thing?.have ?? []).map(bareDigest).filter((digest) => digest !== undefined);
  const [mine] = have;
  const [theirs] = image.platforms;
  if (thing === undefined || mine === undefined || theirs === undefined) return undefined;
  if (have.some((digest) => digest === image.digest || image.platforms.includes(digest))) return undefined;
  return twoLines(
    `A newer image is available in the registry (cached ${short(mine)}, registry ${short(theirs)})`,
    thing.advice ?? `Pull ${thing.name} to fetch it. Continuing with the cached image.`,
  );
};

/** `sha256:…` of a digest given bare, with its algorithm, or behind the name of an image. */
const bareDigest = (text: string): string | undefined => {
  const hex = /(?:^|@)(?:sha256:)?([0-9a-f]{64})$/i.exec(text.trim())?.[1];
  return hex === undefined ? undefined : `sha256:${hex.toLowerCase()}`;
};

/** Twelve digits, as agent-vm and Docker show them. */
const short = (digest: string): string => digest.slice('sha256:'.length, 'sha256:'.length + 12);
