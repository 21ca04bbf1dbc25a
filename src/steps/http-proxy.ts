import {noProxyCovers} from './http-no-proxy.js';
import {NoAnswer} from './no-answer.js';

type Environment = Readonly<Record<string, string>>;

/** A proxy that can be used, and the variable that named it. */
export interface Proxy {
  readonly url: URL;
  readonly variable: string;
}

/**
 * The proxy for this address by the launch's variables, read as curl reads them; undefined: go there directly. Throws
 * NoAnswer('proxy-unusable') for one that is no HTTP or HTTPS proxy: going around it would be worse than no answer.
 */
export const proxyFor = (env: Environment, url: URL): Proxy | undefined => {
  const variable = variablesFor(env, url.protocol).find((name) => (env[name] ?? '') !== '');
  const value = variable === undefined ? undefined : env[variable]?.trim();
  if (variable === undefined || value === undefined) return undefined;
  if (noProxyCovers(env['no_proxy'] ?? env['NO_PROXY'] ?? '', url)) return undefined;
  return {url: parseProxy(variable, value), variable};
};

/** A CGI program gets a visitor's `Proxy:` header as HTTP_PROXY, and REQUEST_METHOD with it (CVE-2016-5387, "httpoxy"). */
const variablesFor = (env: Environment, protocol: string): readonly string[] => {
  const every = ['all_proxy', 'ALL_PROXY'];
  if (protocol === 'https:') return ['https_proxy', 'HTTPS_PROXY', ...every];
  return env['REQUEST_METHOD'] === undefined ? ['http_proxy', 'HTTP_PROXY', ...every] : ['http_proxy', ...every];
};

const parseProxy = (variable: string, value: string): URL => {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) throw unusable(variable, 'an address that cannot be read');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw unusable(variable, `a ${url.protocol.slice(0, -1)} proxy`);
  return url;
};

// Never the value itself: it may hold a password.
const unusable = (variable: string, what: string): NoAnswer =>
  new NoAnswer(
    'proxy-unusable',
    `${variable} names ${what}; name an http:// or https:// proxy, or the host in NO_PROXY`,
  );

/** `Proxy-Authorization` for the user and password in a proxy's address, or nothing. */
export const proxyHeaders = ({url}: Proxy): Record<string, string> => {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decoded(url.username)}:${decoded(url.password)}`;
  return {'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}`};
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
