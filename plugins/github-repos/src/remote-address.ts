/** A repository on a server. */
export type Repo = {
  /** Lower case; with a port where that is not the scheme's own; never with user-info. */
  readonly host: string;
  readonly owner: string;
  readonly repo: string;
};

/** A {@link Repo} as an address spells it: an SSH host may yet be an alias. */
export type Remote = Repo & {readonly isSsh: boolean};

/**
 * Reads the address of a git remote: URL or `[user@]host:path`. Undefined for whatever is not exactly one owner and
 * one repository on a host: paths, bundles, nested groups, escapes, transport helpers (`ext::`).
 */
export const parseRemote = (address: string): Remote | undefined => {
  if (/^[a-z0-9]+::/i.test(address)) return undefined;
  const url = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)\/(.*)$/is.exec(address);
  return url === null ? fromShort(address) : fromUrl(url[1] ?? '', url[2] ?? '', url[3] ?? '');
};

const sshSchemes = new Set(['ssh', 'git+ssh', 'ssh+git']);
const ports = new Map([
  ['https', '443'],
  ['http', '80'],
  ['git', '9418'],
]);

const fromUrl = (scheme: string, authority: string, path: string): Remote | undefined => {
  const name = scheme.toLowerCase();
  const isSsh = sshSchemes.has(name);
  if (!isSsh && !ports.has(name)) return undefined;
  const place = parseAuthority(authority);
  if (place === undefined) return undefined;
  // The port of an SSH server says nothing of the host's other doors.
  const port = isSsh || place.port === '' || place.port === ports.get(name) ? '' : `:${place.port}`;
  return remote(`${place.host}${port}`, path, isSsh);
};

/** git's rule: a colon before the first slash, outside of brackets. The brackets hold an IPv6 address, or a port. */
const fromShort = (address: string): Remote | undefined => {
  const [, bracketed, plain, path] = /^(?:(?:[^@/:[\]]+@)?\[([^\]/]*)\]|([^:/[\]]+)):(.*)$/s.exec(address) ?? [];
  const authority = bracketed === undefined ? plain : isIpv6(bracketed) ? `[${bracketed}]` : bracketed;
  const place = authority === undefined ? undefined : parseAuthority(authority);
  return place === undefined || path === undefined ? undefined : remote(place.host, path.replace(/^\//, ''), true);
};

const isIpv6 = (text: string): boolean => /^[^@]*:[^@]*:/.test(text);

interface Place {
  readonly host: string;
  readonly port: string;
}

const parseAuthority = (authority: string): Place | undefined => {
  // Programs disagree on where the host begins after a backslash.
  if (/[\s\\]/.test(authority)) return undefined;
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  const [, host, port = ''] =
    /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)\.?(?::(\d*))?$/i.exec(place) ?? [];
  return host === undefined ? undefined : {host: host.toLowerCase(), port};
};

const part = /^[A-Za-z0-9._-]+$/;

const remote = (host: string, path: string, isSsh: boolean): Remote | undefined => {
  const [owner = '', last = '', ...rest] = path.replace(/\/+$/, '').split('/');
  const repo = last.replace(/\.git$/, '');
  const isPair = rest.length === 0 && [owner, repo].every((text) => part.test(text) && text !== '.' && text !== '..');
  return isPair ? {host: canonicalHost(host, isSsh), owner, repo, isSsh} : undefined;
};

/** github.com's other names: for SSH through port 443, and for browsers. */
const canonicalHost = (host: string, isSsh: boolean): string =>
  (isSsh && host === 'ssh.github.com') || (!isSsh && host === 'www.github.com') ? 'github.com' : host;
