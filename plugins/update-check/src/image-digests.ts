import {createHash} from 'node:crypto';
import {endianness} from 'node:os';
import {NoAnswer} from 'bootcut/plugin';

/** What a tag names right now: digests and nothing else, so that the answer may be shared. */
export type Image = {
  /** Of the tag itself: the index of an image for several platforms, else the manifest. */
  readonly digest: string;
  /** Of the manifests for Linux on this machine's architecture; empty when the index has none. */
  readonly platforms: readonly string[];
};

/** Reads a manifest or index. The digest is computed: the header is optional, and has been seen to be wrong. */
export const imageOf = (body: Uint8Array, name: string): Image => {
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  const manifest = parsedObject(body);
  if (manifest === undefined) throw new NoAnswer('malformed', `${name}: the registry's answer is no manifest`);
  // By its shape, not by Content-Type or mediaType: both are left out by some registries.
  const {manifests} = manifest;
  if (!Array.isArray(manifests)) {
    if (manifest['schemaVersion'] !== 2) throw new NoAnswer('malformed', `${name}: a manifest of an unknown kind`);
    return {digest, platforms: [digest]};
  }
  return {digest, platforms: manifests.map(digestForHere).filter((one) => one !== undefined)};
};

/** Checks a stored {@link Image}. */
export const parseImage = (stored: unknown): Image => {
  if (isRecord(stored) && isDigest(stored['digest']) && Array.isArray(stored['platforms'])) {
    const {digest, platforms} = stored;
    if (platforms.every(isDigest)) return {digest, platforms};
  }
  throw new TypeError('not the digests of an image');
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDigest = (value: unknown): value is string => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);

const parsedObject = (body: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Attestations are entries for the platform `unknown/unknown`: they are no images and match nothing here. */
const digestForHere = (entry: unknown): string | undefined => {
  if (!isRecord(entry) || !isDigest(entry['digest']) || !isRecord(entry['platform'])) return undefined;
  const {os, architecture: built} = entry['platform'];
  return os === 'linux' && built === architecture() ? entry['digest'] : undefined;
};

/** This machine's architecture in the words of an index (Go's GOARCH). */
export const architecture = (): string => {
  const little = endianness() === 'LE' ? 'le' : '';
  const names: Readonly<Record<string, string>> = {
    x64: 'amd64',
    ia32: '386',
    ppc64: `ppc64${little}`,
    mips: `mips${little}`,
    mipsel: 'mipsle',
  };
  return names[process.arch] ?? process.arch;
};
