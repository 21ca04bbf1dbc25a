import {httpClient, type Launch, NoAnswer} from 'bootcut/plugin';
import {type ImageReference, originOf} from '../reference.js';
import {registryCredentials} from './credentials.js';
import {type Answer, openRegistry, type Question} from './session.js';

export interface ManifestQuestion {
  readonly reference: ImageReference;
  /** What the last answer was, for a question that costs the registry less. */
  readonly known: {readonly digest: string; readonly etag: string | undefined} | undefined;
  readonly signal: AbortSignal;
}

export interface Manifest {
  readonly body: Uint8Array;
  readonly etag: string | undefined;
}

/** Docker's and OCI's manifest and index: without them a registry converts, and the digest is another one. */
const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Statuses with which registries say that they do not do HEAD here, though they do GET. */
const noHead = [404, 405, 406, 500, 501];

/** Fetches what a tag names, or learns that it is what it was. */
export const fetchManifest = async (launch: Launch, asked: ManifestQuestion): Promise<Manifest | 'unchanged'> => {
  const {reference, known, signal} = asked;
  const {registry, repository, tag = 'latest'} = reference;
  const ask = openRegistry({
    http: await httpClient(launch),
    origin: originOf(reference),
    repository,
    credentials: registryCredentials(launch, registry),
    signal,
  });
  const headers = {accept, ...(known?.etag !== undefined && {'if-none-match': known.etag})};
  const question = {path: `/v2/${repository}/manifests/${tag}`, headers};
  if (known !== undefined) {
    const head = await ask({...question, method: 'HEAD', answers: noHead});
    if (isKnown(head, known.digest)) return 'unchanged';
  }
  return manifestIn(await ask({...question, method: 'GET', answers: [404]} satisfies Question), asked);
};

/** Only the header can tell without a body; when it lies, the body is fetched and its own digest counts. */
const isKnown = ({statusCode, headers}: Answer, digest: string): boolean =>
  statusCode === 304 || (statusCode === 200 && headers['docker-content-digest'] === digest);

const manifestIn = (answer: Answer, {reference, known}: ManifestQuestion): Manifest | 'unchanged' => {
  const {statusCode, body, headers} = answer;
  if (statusCode === 304 && known !== undefined) return 'unchanged';
  if (statusCode === 404) throw new NoAnswer('not-found', `${reference.registry} has no such image or tag`);
  if (statusCode !== 200) throw new NoAnswer('malformed', `${reference.registry} answered ${String(statusCode)}`);
  return {body, etag: headers.etag};
};
