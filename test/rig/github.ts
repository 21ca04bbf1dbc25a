import {mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {makeCertificate} from './certificate.js';
import {commonHeaders, errorObject, etagOf, type GitHubUser, releaseObject, userObject} from './github-shapes.js';
import {type Rule, Script} from './script.js';
import {
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server.js';
import {temporaryDirectory} from './temporary-directory.js';

export type {GitHubUser} from './github-shapes.js';

/** Which requests a rule answers; what is left out matches anything. `path` is without `/api/v3` and query. */
export type GitHubMatch = {readonly token?: string | null; readonly path?: string; readonly method?: string};

export type GitHubOptions = {
  /** Accounts by token. Another token gets 401. */
  readonly users?: Readonly<Record<string, GitHubUser>>;
  /** Tag of the latest release by `owner/repo`. Another repository gets 404. */
  readonly releases?: Readonly<Record<string, string>>;
};

export type GitHub = Pick<ScriptedServer, 'port' | 'requests' | 'connections' | 'arrival'> &
  AsyncDisposable & {
    /** `localhost:PORT`, as GH_HOST and hosts.yml name it. */
    readonly host: string;
    /** `https://localhost:PORT`; the API is below `/api/v3` and, as on api.github.com, at the root. */
    readonly url: string;
    readonly certFile: string;
    /** Directory that goes with the server: a place for files of the test. */
    readonly directory: string;
    readonly setUser: (token: string, user: GitHubUser | null) => void;
    readonly setRelease: (repo: string, tag: string | null) => void;
    /**
     * Adds a rule on top; the newest that matches wins. GitHub's own headers are added below those of the answer, unless
     * it names a `server`: then it comes from something else (a captive portal, a proxy).
     */
    readonly answer: (match: GitHubMatch, answer: Rule<GitHubMatch>['answer'], times?: number) => void;
    readonly clearAnswers: () => void;
  };

/** A TLS server on loopback that speaks as GitHub's REST API does. */
export async function startGitHub({users = {}, releases = {}}: GitHubOptions = {}): Promise<GitHub> {
  const directory = await temporaryDirectory('github');
  const certificate = await makeCertificate(directory);
  const state: State = {users: new Map(Object.entries(users)), releases: new Map(Object.entries(releases)), used: 0};
  const script = new Script<GitHubMatch>(matches);
  const server = await startScriptedServer({
    tls: certificate,
    answer: (request) => finished(script.take(request) ?? ordinary(state, request), state, request),
  });
  const host = `localhost:${server.port}`;
  return {
    ...server,
    host,
    url: `https://${host}`,
    certFile: certificate.certFile,
    directory,
    setUser: (token, user) => (user === null ? void state.users.delete(token) : void state.users.set(token, user)),
    setRelease: (repo, tag) => (tag === null ? void state.releases.delete(repo) : void state.releases.set(repo, tag)),
    answer: (match, answer, times) => script.add({match, answer, ...(times === undefined ? {} : {times})}),
    clearAnswers: () => script.clear(),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(directory, {recursive: true, force: true});
    },
  };
}

type State = {readonly users: Map<string, GitHubUser>; readonly releases: Map<string, string>; used: number};

const pathOf = ({url}: RecordedRequest): string => (url.split('?')[0] ?? '').replace(/^\/api\/v3(?=\/|$)/, '');

/** The token of an `Authorization: token …` or `Bearer …` header, or null. */
export const tokenOf = ({headers}: RecordedRequest): string | null =>
  /^(?:token|bearer) (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;

function matches(match: GitHubMatch, request: RecordedRequest): boolean {
  return (
    (match.token === undefined || match.token === tokenOf(request)) &&
    (match.path === undefined || match.path === pathOf(request)) &&
    (match.method === undefined || match.method === request.method)
  );
}

function ordinary({users, releases}: State, request: RecordedRequest): ScriptedAnswer {
  const site = `https://${request.headers.host ?? 'localhost'}`;
  const api = `${site}/api/v3`;
  const token = tokenOf(request);
  const user = token === null ? undefined : users.get(token);
  if (token !== null && user === undefined) return failure(401, 'Bad credentials');
  const path = pathOf(request);
  if (path === '/user') {
    return user === undefined ? failure(401, 'Requires authentication') : withTag(userObject(user, api, site), request);
  }
  const repo = /^\/repos\/([^/]+\/[^/]+)\/releases\/latest$/.exec(path)?.[1];
  const tag = repo === undefined ? undefined : releases.get(repo);
  if (repo === undefined || tag === undefined) return failure(404, 'Not Found');
  return withTag(releaseObject(repo, tag, api, site), request);
}

const failure = (status: number, message: string): ScriptedAnswer => ({status, body: errorObject(status, message)});

/** 304 when the client already has this body; GitHub sends no scopes with an anonymous answer. */
function withTag(body: object, request: RecordedRequest): ScriptedAnswer {
  const etag = etagOf(body);
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  const isKnown = known.includes(etag.replace(/^W\//, ''));
  return {...(isKnown ? {status: 304} : {body}), headers: {etag}};
}

/** Adds the headers every answer of the API has; a 304 costs nothing of the quota, as at GitHub. */
function finished(answer: ScriptedAnswer, state: State, request: RecordedRequest): ScriptedAnswer {
  if (answer.headers?.['server'] !== undefined) return answer;
  if (answer.status !== 304) state.used += 1;
  const isAnonymous = tokenOf(request) === null;
  const quota = {limit: isAnonymous ? 60 : 5000, used: state.used, reset: Math.ceil(Date.now() / 3_600_000) * 3600};
  const scopes = isAnonymous ? {} : {'x-oauth-scopes': 'gist, read:org, repo', 'x-accepted-oauth-scopes': ''};
  return {...answer, headers: {...commonHeaders(quota), ...scopes, ...answer.headers}};
}

export type GhEnvOptions = {
  /** Goes into GH_ENTERPRISE_TOKEN; without one, gh reads the configuration directory. */
  readonly token?: string;
  /** Goes into GH_TOKEN: what `gh auth token` prints, since gh 2.23 ignores GH_HOST there. */
  readonly authToken?: string;
  /** GH_CONFIG_DIR; an empty one below the server's directory otherwise, so that no real account is used. */
  readonly configDir?: string;
};

/** Variables with which the real gh asks this server and nothing else. To be merged over a PATH and a HOME. */
export function ghEnv(github: GitHub, {token, authToken, configDir}: GhEnvOptions = {}): Record<string, string> {
  return {
    GH_HOST: github.host,
    GH_CONFIG_DIR: configDir ?? join(github.directory, 'gh-config'),
    SSL_CERT_FILE: github.certFile,
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_PROMPT_DISABLED: '1',
    ...(token === undefined ? {} : {GH_ENTERPRISE_TOKEN: token}),
    ...(authToken === undefined ? {} : {GH_TOKEN: authToken}),
  };
}

export type GhAccount = {readonly login: string; readonly token: string};

/**
 * Writes gh's `hosts.yml`: accounts by host, the first of each active. In the form of gh 2.40 and later, whose keys for
 * the active account older ones read too. Returns the file's path.
 */
export async function writeGhHosts(
  configDir: string,
  hosts: Readonly<Record<string, readonly [GhAccount, ...GhAccount[]]>>,
): Promise<string> {
  const path = join(configDir, 'hosts.yml');
  await mkdir(configDir, {recursive: true, mode: 0o700});
  await writeFile(path, Object.entries(hosts).map(hostEntry).join(''), {mode: 0o600});
  return path;
}

function hostEntry([host, accounts]: [string, readonly [GhAccount, ...GhAccount[]]]): string {
  const [active] = accounts;
  const users = accounts.map(({login, token}) => `        ${login}:\n            oauth_token: ${token}\n`);
  return (
    `${host}:\n    user: ${active.login}\n    oauth_token: ${active.token}\n    git_protocol: https\n` +
    `    users:\n${users.join('')}`
  );
}
