import type {Launch, Updatable} from 'bootcut/plugin';
import {launchCommand} from './command.js';
import {findBinary} from './find-binary.js';
import {isLeftOut} from './left-out.js';
import {imageOf, pulledDigest} from './pulled-marker.js';
import {scanArguments} from './scan-arguments.js';

/** agent-vm's own words, so that users of either see the same line. */
const advice = 'Run `agent-vm pull` to fetch it. Continuing with the cached image.';

/**
 * The image of a launch. Nothing where agent-vm says it itself (its check was left on, or its release cannot be told),
 * where the user wants no check, and for a reference pinned by digest, which agent-vm's tag rule (all behind the last
 * colon) does not understand and for which nothing newer can exist.
 */
export const imageUpdatables = (launch: Launch): readonly Updatable[] => {
  const command = launchCommand(launch);
  const binary = findBinary(launch);
  if (command === undefined || binary.kind === 'missing' || !binary.decidesVersion) return [];
  // The release is not known yet; the newest one's options differ only behind what an older one takes for the guest's.
  const scan = scanArguments(command.args, Number.POSITIVE_INFINITY);
  if (scan.help || scan.given.has('no-update-check') || isLeftOut(launch, 'no-update-check')) return [];
  const name = imageOf(launch, scan);
  if (name === '' || name.includes('@')) return [];
  const digest = pulledDigest(launch, name);
  return [{source: 'oci', name, have: digest === undefined ? [] : [digest], advice}];
};
