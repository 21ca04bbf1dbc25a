import {createHash, randomBytes} from 'node:crypto';

/** What a test says of an account; the rest of the object is filled in as GitHub does. */
export type GitHubUser = {
  readonly login: string;
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
};

/** The body of `GET /user` for a token with the scopes `gh auth login` asks for. */
export function userObject({login, id, name, email}: GitHubUser, api: string, site: string): object {
  const self = `${api}/users/${login}`;
  return {
    login,
    id,
    node_id: Buffer.from(`04:User${id}`).toString('base64'),
    avatar_url: `${site}/avatars/u/${id}?v=4`,
    gravatar_id: '',
    url: self,
    html_url: `${site}/${login}`,
    followers_url: `${self}/followers`,
    following_url: `${self}/following{/other_user}`,
    gists_url: `${self}/gists{/gist_id}`,
    starred_url: `${self}/starred{/owner}{/repo}`,
    subscriptions_url: `${self}/subscriptions`,
    organizations_url: `${self}/orgs`,
    repos_url: `${self}/repos`,
    events_url: `${self}/events{/privacy}`,
    received_events_url: `${self}/received_events`,
    type: 'User',
    user_view_type: 'public',
    site_admin: false,
    name,
    company: null,
    blog: '',
    location: null,
    email,
    notification_email: email,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: 12,
    public_gists: 0,
    followers: 3,
    following: 1,
    created_at: '2014-03-05T10:11:12Z',
    updated_at: '2026-11-02T08:00:00Z',
  };
}

/** The body of `GET /repos/{owner}/{repo}/releases/latest`. */
export function releaseObject(repo: string, tag: string, api: string, site: string): object {
  const self = `${api}/repos/${repo}/releases/1001`;
  return {
    url: self,
    assets_url: `${self}/assets`,
    upload_url: `${api}/uploads/repos/${repo}/releases/1001/assets{?name,label}`,
    html_url: `${site}/${repo}/releases/tag/${tag}`,
    id: 1001,
    author: {login: 'release-bot', id: 900, type: 'Bot', site_admin: false},
    node_id: 'RE_kwDOAAAAAc4AAAPp',
    tag_name: tag,
    target_commitish: 'main',
    name: tag,
    draft: false,
    immutable: false,
    prerelease: false,
    created_at: '2026-11-20T09:00:00Z',
    updated_at: '2026-11-20T09:05:00Z',
    published_at: '2026-11-20T09:05:00Z',
    assets: [],
    tarball_url: `${api}/repos/${repo}/tarball/${tag}`,
    zipball_url: `${api}/repos/${repo}/zipball/${tag}`,
    body: `## What's changed\n* See ${site}/${repo}/commits/${tag}`,
  };
}

export const errorObject = (status: number, message: string): object => ({
  message,
  documentation_url: 'https://docs.github.com/rest',
  status: String(status),
});

export type Quota = {readonly limit: number; readonly used: number /** Seconds since 1970. */; readonly reset: number};

/** Headers every answer of the REST API carries. */
export function commonHeaders(quota: Quota): Record<string, string> {
  return {
    server: 'github.com',
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, max-age=60, s-maxage=60',
    vary: 'Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': '2022-11-28',
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(Math.max(0, quota.limit - quota.used)),
    'x-ratelimit-reset': String(quota.reset),
    'x-ratelimit-used': String(quota.used),
    'x-ratelimit-resource': 'core',
    'access-control-expose-headers': 'ETag, Link, Location, Retry-After, X-GitHub-OTP, X-RateLimit-Limit',
    'access-control-allow-origin': '*',
    'strict-transport-security': 'max-age=31536000; includeSubdomains; preload',
    'x-frame-options': 'deny',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
    'content-security-policy': "default-src 'none'",
    'x-github-request-id': randomBytes(12).toString('hex').toUpperCase(),
  };
}

export const etagOf = (body: object): string =>
  `W/"${createHash('sha256').update(JSON.stringify(body)).digest('hex')}"`;
