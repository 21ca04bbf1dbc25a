import {createHash} from 'node:crypto';
import {rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {requireProgram, startService} from './program.js';
import {temporaryDirectory} from './temporary-directory.js';

export type PushOptions = {
  /** `os/architecture` each; the first one alone is pushed when `index` is false. */
  readonly platforms?: readonly string[];
  /** An index over the platforms (default), or a single manifest under the tag. */
  readonly index?: boolean;
  /** Adds an attestation entry (`unknown/unknown`) to the index, as buildx does. On unless false. */
  readonly attestation?: boolean;
  /** Goes into every image, so that another value gives other digests. */
  readonly content?: string;
};

export type Pushed = {
  /** `127.0.0.1:PORT/name:tag`. */
  readonly reference: string;
  /** Null for a single manifest. */
  readonly indexDigest: string | null;
  readonly platformDigests: Readonly<Record<string, string>>;
  /** What the tag itself names: the index, or the single manifest. */
  readonly tagDigest: string;
};

export type Registry = AsyncDisposable & {
  readonly port: number;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly pid: number;
  readonly push: (name: string, tag: string, options?: PushOptions) => Promise<Pushed>;
};

const MEDIA = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const;

/** Debian's docker-registry with storage of its own; the system's service and its configuration play no part. */
export async function startRegistry(): Promise<Registry> {
  const program = requireProgram('docker-registry', 'docker-registry');
  const directory = await temporaryDirectory('registry');
  const config = join(directory, 'config.yml');
  const storage = JSON.stringify(join(directory, 'storage'));
  await writeFile(
    config,
    'version: 0.1\nlog: {accesslog: {disabled: true}}\nhttp: {addr: "127.0.0.1:0"}\n' +
      `storage: {filesystem: {rootdirectory: ${storage}}, delete: {enabled: true}}\n`,
  );
  const service = await startService([program, 'serve', config], {
    ready: /listening on 127\.0\.0\.1:(\d+)/,
    cwd: directory,
  });
  const port = Number(service.announced[1]);
  const host = `127.0.0.1:${port}`;
  return {
    port,
    host,
    pid: service.pid,
    push: (name, tag, options = {}) => push(host, {name, tag}, options),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await rm(directory, {recursive: true, force: true});
    },
  };
}

async function push(host: string, {name, tag}: {name: string; tag: string}, options: PushOptions): Promise<Pushed> {
  const {platforms = ['linux/amd64', 'linux/arm64'], index = true, attestation = true, content = ''} = options;
  const repository = `http://${host}/v2/${name}`;
  const reference = `${host}/${name}:${tag}`;
  const entries: Descriptor[] = [];
  for (const platform of index ? platforms : platforms.slice(0, 1)) {
    const manifest = await pushImage(repository, platform, content);
    entries.push(await putManifest(repository, index ? manifest.digest : tag, manifest));
  }
  const digests = Object.fromEntries(entries.map(({digest}, at) => [platforms[at] ?? '', digest]));
  if (!index) return {reference, indexDigest: null, platformDigests: digests, tagDigest: entries[0]?.digest ?? ''};
  const listed = entries.map((entry, at) => ({...entry, platform: toPlatform(platforms[at] ?? '')}));
  const attested = attestation ? [await pushAttestation(repository, entries[0]?.digest ?? '')] : [];
  const body = JSON.stringify({schemaVersion: 2, mediaType: MEDIA.index, manifests: [...listed, ...attested]});
  const {digest} = await putManifest(repository, tag, {mediaType: MEDIA.index, body, digest: digestOf(body)});
  return {reference, indexDigest: digest, platformDigests: digests, tagDigest: digest};
}

type Manifest = {readonly mediaType: string; readonly body: string; readonly digest: string};
type Descriptor = {readonly mediaType: string; readonly digest: string; readonly size: number};

const digestOf = (body: string): string => `sha256:${createHash('sha256').update(body).digest('hex')}`;

function toPlatform(platform: string): {os: string; architecture: string} {
  const [os = '', architecture = ''] = platform.split('/');
  return {os, architecture};
}

async function pushImage(repository: string, platform: string, content: string): Promise<Manifest> {
  const layer = await putBlob(repository, MEDIA.layer, `layer of ${platform}: ${content}`);
  const rootfs = {type: 'layers', diff_ids: [layer.digest]};
  const config = await putBlob(repository, MEDIA.config, JSON.stringify({...toPlatform(platform), config: {}, rootfs}));
  return manifestOf(config, layer);
}

/** What buildx adds per image: a manifest for no platform that refers to the image it speaks of. */
async function pushAttestation(repository: string, subject: string): Promise<object> {
  const layer = await putBlob(repository, 'application/vnd.in-toto+json', JSON.stringify({subject}));
  const config = await putBlob(repository, MEDIA.config, JSON.stringify({architecture: 'unknown', os: 'unknown'}));
  const manifest = manifestOf(config, layer);
  const annotations = {'vnd.docker.reference.digest': subject, 'vnd.docker.reference.type': 'attestation-manifest'};
  const entry = await putManifest(repository, manifest.digest, manifest);
  return {...entry, annotations, platform: toPlatform('unknown/unknown')};
}

function manifestOf(config: Descriptor, layer: Descriptor): Manifest {
  const body = JSON.stringify({schemaVersion: 2, mediaType: MEDIA.manifest, config, layers: [layer]});
  return {mediaType: MEDIA.manifest, body, digest: digestOf(body)};
}

async function putBlob(repository: string, mediaType: string, body: string): Promise<Descriptor> {
  const started = await request(`${repository}/blobs/uploads/`, {method: 'POST'});
  const location = new URL(started.headers.get('location') ?? '', repository);
  const digest = digestOf(body);
  location.searchParams.set('digest', digest);
  await request(location.href, {method: 'PUT', body, headers: {'content-type': 'application/octet-stream'}});
  return {mediaType, digest, size: Buffer.byteLength(body)};
}

async function putManifest(repository: string, at: string, {mediaType, body, digest}: Manifest): Promise<Descriptor> {
  await request(`${repository}/manifests/${at}`, {method: 'PUT', body, headers: {'content-type': mediaType}});
  return {mediaType, digest, size: Buffer.byteLength(body)};
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`registry answered ${response.status} to ${init.method ?? 'GET'} ${url}: ${text}`);
  return response;
}
