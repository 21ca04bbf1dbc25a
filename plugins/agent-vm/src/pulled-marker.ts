import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Launch} from 'bootcut/plugin';
import type {Scan} from './scan-arguments.js';
import {stateRoot} from './state-root.js';

/** agent-vm's own default, unchanged from v0.1.14 to v0.1.28. */
const defaultImage = 'ghcr.io/wirenboard/agent-vm-template:latest';

/** The image a launch boots: `--image`, else AGENT_VM_IMAGE_TAG (set to nothing counts), else the default. */
export const imageOf = (launch: Pick<Launch, 'env'>, scan: Scan): string =>
  scan.given.get('image')?.[0] ?? launch.env['AGENT_VM_IMAGE_TAG'] ?? defaultImage;

/** The file below the state root that holds the digest agent-vm last pulled for this reference. */
export const markerPath = (root: string, image: string): string =>
  join(root, 'pulled-digests', createHash('sha256').update(image).digest('hex').slice(0, 16));

/** The digest agent-vm last pulled for this reference, as it compares it itself; undefined when there is none. */
export const pulledDigest = (launch: Pick<Launch, 'env' | 'cwd'>, image: string): string | undefined => {
  const root = stateRoot(launch).path;
  if (root === undefined) return undefined;
  try {
    const digest = readFileSync(markerPath(root, image), 'utf8').trim();
    return /^[a-z0-9]+:[0-9a-f]{32,128}$/.test(digest) ? digest : undefined;
  } catch {
    return undefined;
  }
};
