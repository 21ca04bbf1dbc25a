import {createHash, randomBytes} from 'node:crypto';
import {type Rule, Script} from './script.js';
import {
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server.js';

/** Which requests a rule answers; what is left out matches anything. `path` is without the query. */
export type RegistryMatch = {readonly method?: string; readonly path?: string | RegExp};

export type FakeManifest = {
  readonly body: string | object;
  readonly mediaType?: string;
  /** `docker-content-digest`: right by default, any text to lie, null to leave it out. */
  readonly digestHeader?: string | null;
};

export type TokenRules = {
  /**
   * Value of WWW-Authenticate with REALM, SERVICE and SCOPE filled in; an array sends one header line each; null answers
   * 401 without a challenge.
   */
  readonly challenge?: string | readonly string[] | null;
  /** Where the token server puts the token. */
  readonly field?: 'token' | 'access_token';
  /** `expires_in` in the token's answer, in seconds; says nothing of when `expireTokens` is called. */
  readonly expiresIn?: number;
  /** Origin of the token server, when it is not this one. */
  readonly realmOrigin?: string;
};

export type FakeRegistry = Pick<ScriptedServer, 'port' | 'requests' | 'connections' | 'arrival'> &
  AsyncDisposable & {
    /** `127.0.0.1:PORT`. */
    readonly host: string;
    readonly origin: string;
    /** Serves a manifest under a tag and under its digest; returns the digest of its bytes. */
    readonly serve: (name: string, tag: string, manifest: FakeManifest) => string;
    /** From now on manifests need a bearer token from this server's `/token`. */
    readonly requireToken: (rules?: TokenRules) => void;
    /** Every token given out so far is refused from now on. */
    readonly expireTokens: () => void;
    /** Adds a rule on top; the newest that matches and is not used up wins. */
    readonly answer: (match: RegistryMatch, answer: Rule<RegistryMatch>['answer'], times?: number) => void;
    readonly clearAnswers: () => void;
  };

/** The challenge of the big public registries, for `TokenRules.challenge`. */
export const ORDINARY_CHALLENGE = 'Bearer realm="REALM",service="SERVICE",scope="SCOPE"';

type State = {
  readonly manifests: Map<string, ScriptedAnswer>;
  readonly tokens: Set<string>;
  rules: TokenRules | null;
};

/** A registry and token server for what a real one cannot be made to do: every answer can be scripted. */
export async function startFakeRegistry(): Promise<FakeRegistry> {
  const state: State = {manifests: new Map(), tokens: new Set(), rules: null};
  const script = new Script<RegistryMatch>(matches);
  const server: ScriptedServer = await startScriptedServer({
    answer: (request) => script.take(request) ?? ordinary(state, request),
  });
  const host = `127.0.0.1:${server.port}`;
  return {
    ...server,
    host,
    origin: `http://${host}`,
    serve: (name, tag, manifest) => serve(state, name, tag, manifest),
    requireToken: (rules = {}) => {
      state.rules = rules;
    },
    expireTokens: () => state.tokens.clear(),
    answer: (match, answer, times) => script.add({match, answer, ...(times === undefined ? {} : {times})}),
    clearAnswers: () => script.clear(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const pathOf = ({url}: RecordedRequest): string => url.split('?')[0] ?? '';

function matches({method, path}: RegistryMatch, request: RecordedRequest): boolean {
  if (method !== undefined && method !== request.method) return false;
  return path === undefined || (typeof path === 'string' ? path === pathOf(request) : path.test(pathOf(request)));
}

function serve(state: State, name: string, tag: string, manifest: FakeManifest): string {
  const body = typeof manifest.body === 'string' ? manifest.body : JSON.stringify(manifest.body);
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  const {mediaType = 'application/vnd.oci.image.index.v1+json', digestHeader = digest} = manifest;
  const headers = {
    'content-type': mediaType,
    ...(digestHeader === null ? {} : {'docker-content-digest': digestHeader}),
  };
  for (const at of [tag, digest]) state.manifests.set(`/v2/${name}/manifests/${at}`, {body, headers});
  return digest;
}

function ordinary(state: State, request: RecordedRequest): ScriptedAnswer {
  const path = pathOf(request);
  if (path === '/token') return giveToken(state);
  const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (state.rules !== null && (token === undefined || !state.tokens.has(token))) return challenge(state.rules, request);
  if (path === '/v2/') return {body: {}};
  return state.manifests.get(path) ?? registryError(404, 'MANIFEST_UNKNOWN', 'manifest unknown');
}

function giveToken(state: State): ScriptedAnswer {
  const {field = 'token', expiresIn} = state.rules ?? {};
  const token = randomBytes(16).toString('hex');
  state.tokens.add(token);
  const issued = {issued_at: new Date().toISOString(), ...(expiresIn === undefined ? {} : {expires_in: expiresIn})};
  return {body: {[field]: token, ...issued}, headers: {'content-type': 'application/json'}};
}

function challenge(rules: TokenRules, request: RecordedRequest): ScriptedAnswer {
  const refused = registryError(401, 'UNAUTHORIZED', 'authentication required');
  const {challenge: wanted = ORDINARY_CHALLENGE} = rules;
  if (wanted === null) return refused;
  const host = request.headers.host ?? '';
  const name = /^\/v2\/(.+)\/manifests\//.exec(pathOf(request))?.[1] ?? '';
  const fill = (text: string) =>
    text
      .replaceAll('REALM', `${rules.realmOrigin ?? `http://${host}`}/token`)
      .replaceAll('SERVICE', host)
      .replaceAll('SCOPE', `repository:${name}:pull`);
  const values = typeof wanted === 'string' ? fill(wanted) : wanted.map(fill);
  return {...refused, headers: {...refused.headers, 'www-authenticate': values}};
}

/** An error in the shape of the distribution protocol. */
export const registryError = (status: number, code: string, message: string): ScriptedAnswer => ({
  status,
  headers: {'content-type': 'application/json; charset=utf-8'},
  body: {errors: [{code, message, detail: null}]},
});

/** An OCI index over `linux/amd64` and `linux/arm64` with given digests, for `serve`. */
export function indexOf(digests: Readonly<Record<string, string>>): object {
  const manifests = Object.entries(digests).map(([platform, digest]) => {
    const [os, architecture] = platform.split('/');
    return {mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size: 500, platform: {os, architecture}};
  });
  return {schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests};
}
