import {httpGet} from './http-get.mjs';
import {say} from './output.mjs';
import {imageRecord, readMarker, writeMarker} from './state.mjs';

/** Milliseconds: of each request, and from v0.1.17 of the whole check too. */
const LIMIT = 5000;

const ACCEPT = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
].join(',');

/** Step 6 of the launch. Whatever goes wrong is silent. */
export async function updateCheck({features, settings}, image) {
  if (features.seedsMarker) seedMarker(image, settings);
  const cached = readMarker(image);
  const remote = await remoteDigest(image, features).catch(() => null);
  if (cached === null || remote === null || cached === remote) return;
  say(
    `==> A newer image is available in the registry (cached ${short(cached)}, registry ${short(remote)})\n` +
      '==> Run `agent-vm pull` to fetch it. Continuing with the cached image.',
  );
}

function seedMarker(image, settings) {
  const digest = imageRecord(image, settings);
  if (digest === null || readMarker(image) !== null) return;
  try {
    writeMarker(image, digest);
  } catch {
    // The check then has nothing to compare with and says nothing.
  }
}

const short = (digest) => digest.replace(/^sha256:/, '').slice(0, 12);

/**
 * Digest the registry has for linux/amd64 (on every host, as upstream), or null. `plainHttp` is for pulls; the check
 * itself goes by the name of the host alone.
 */
export async function remoteDigest(image, features, {plainHttp = false} = {}) {
  const reference = parseReference(image);
  const scheme = plainHttp || /^(localhost|127\.)/.test(reference.host) ? 'http' : 'https';
  const url = `${scheme}://${reference.host}/v2/${reference.name}/manifests/${reference.tag}`;
  const overall = features.bearerHandshake ? AbortSignal.timeout(LIMIT) : undefined;
  let answer = await get(url, {Accept: ACCEPT}, overall);
  if (answer.status === 401 && features.bearerHandshake) {
    const token = await fetchToken(answer.headers['www-authenticate'] ?? '', overall);
    if (token === null) return null;
    answer = await get(url, {Accept: ACCEPT, Authorization: `Bearer ${token}`}, overall);
  }
  return answer.status >= 200 && answer.status < 300 ? digestOf(answer) : null;
}

function get(url, headers, overall) {
  debug(`GET ${url}`);
  const own = AbortSignal.timeout(LIMIT);
  return httpGet(url, {headers, signal: overall === undefined ? own : AbortSignal.any([own, overall])});
}

async function fetchToken(challenge, overall) {
  const fields = parseChallenge(challenge);
  if (fields?.realm === undefined) return null;
  const url = new URL(fields.realm);
  for (const name of ['service', 'scope']) {
    if (fields[name] !== undefined) url.searchParams.append(name, fields[name]);
  }
  const answer = await get(url.href, {}, overall);
  if (answer.status < 200 || answer.status >= 300) return null;
  const body = JSON.parse(answer.body);
  return [body.token, body.access_token].find((token) => typeof token === 'string' && token !== '') ?? null;
}

/** Split at every comma, inside quotes too: a scope with a comma breaks, as it does upstream. */
function parseChallenge(challenge) {
  if (!/^(Bearer|bearer) /.test(challenge)) return null;
  const pairs = challenge
    .slice(7)
    .split(',')
    .map((part) => {
      const equals = part.indexOf('=');
      return [
        part.slice(0, equals).trim(),
        part
          .slice(equals + 1)
          .trim()
          .replace(/^"+|"+$/g, ''),
      ];
    });
  return Object.fromEntries(pairs);
}

function digestOf({headers, body}) {
  const direct = headers['docker-content-digest'] ?? null;
  let json;
  try {
    json = JSON.parse(body);
  } catch {
    return direct;
  }
  if (!Array.isArray(json?.manifests)) return direct;
  const entry = json.manifests.find(({platform}) => platform?.os === 'linux' && platform?.architecture === 'amd64');
  return typeof entry?.digest === 'string' ? entry.digest : null;
}

/** A colon with no slash behind it opens the tag; a first segment that looks like a host is one. */
export function parseReference(image) {
  const colon = image.lastIndexOf(':');
  const hasTag = colon >= 0 && !image.slice(colon + 1).includes('/');
  const rest = hasTag ? image.slice(0, colon) : image;
  const tag = hasTag ? image.slice(colon + 1) : 'latest';
  const slash = rest.indexOf('/');
  const first = slash < 0 ? '' : rest.slice(0, slash);
  const isHost = first.includes('.') || first.includes(':') || first === 'localhost';
  return isHost ? {host: first, name: rest.slice(slash + 1), tag} : {host: 'registry-1.docker.io', name: rest, tag};
}

/** `RUST_LOG=agent_vm=debug` stamps the steps of the check, from v0.1.17. */
function debug(step) {
  const wanted = /(^|,)((agent_vm(::image_check)?=)?(debug|trace))(,|$)/.test(process.env.RUST_LOG ?? '');
  if (wanted) say(`${new Date().toISOString().replace('Z', '000Z')} DEBUG agent_vm::image_check: ${step}`);
}
