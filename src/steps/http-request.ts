import type {ClientRequest, OutgoingHttpHeaders, RequestOptions} from 'node:http';
import {isIP} from 'node:net';
import type {RequestFunction} from 'got';
import {markingReuse, plainAgent, secureAgent} from './http-agents.js';
import {trust} from './http-certificates.js';
import {type Proxy, proxyFor, proxyHeaders} from './http-proxy.js';
import {openSocket, openTunnel} from './http-tunnel.js';

/**
 * The one place where requests leave: decides for each address, those of redirects too, between the direct way and a
 * proxy, and what certificates to trust. Direct connections are kept for the next request of the same look-up.
 */
export const requester = (env: Readonly<Record<string, string>>, extra: readonly string[]): RequestFunction => {
  // The CommonJS form: an import of node:http costs 30–40 ms from Node 22 on.
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  return (url, given) => {
    const options = given as RequestOptions;
    const proxy = proxyFor(env, url);
    if (url.protocol !== 'https:') {
      return proxy === undefined
        ? markingReuse(http.request(url, {...options, agent: plainAgent()}))
        : closing((track) =>
            http.request({...options, ...viaProxy(url, options, proxy), ...connection(proxy, extra, track)}),
          );
    }
    const tls = {secureContext: trust(extra), rejectUnauthorized: true, servername: serverName(url)};
    if (proxy === undefined)
      return markingReuse(https.request(url, {...options, ...tls, agent: secureAgent(tls.secureContext)}));
    return closing((track) => {
      const {secureContext} = tls;
      return https.request(url, {
        ...options,
        agent: undefined,
        createConnection: (_, done) => {
          openTunnel({proxy, url, tls, secureContext, track}, done);
          return undefined;
        },
      });
    });
  };
};

type Track = (ends: () => void) => void;

/** Ends the way to the proxy together with the request, whichever state it is in. */
const closing = (make: (track: Track) => ClientRequest): ClientRequest => {
  const ends: (() => void)[] = [];
  const endAll = (): void => {
    for (const end of ends) end();
  };
  const request = make((end) => ends.push(end));
  // A request that is destroyed before it has a socket emits nothing until it gets one: 'close' alone is not enough.
  const destroy = request.destroy.bind(request);
  request.destroy = (error) => {
    endAll();
    return destroy(error);
  };
  return request.once('close', endAll);
};

const connection = (proxy: Proxy, extra: readonly string[], track: Track): RequestOptions => ({
  agent: undefined,
  createConnection: (_, done) => {
    openSocket({proxy, secureContext: proxy.url.protocol === 'https:' ? trust(extra) : undefined, track}, done);
    return undefined;
  },
});

/** A plain request goes to the proxy with the whole address in its first line (RFC 9112, 3.2.2). */
const viaProxy = (url: URL, {headers}: RequestOptions, proxy: Proxy): RequestOptions => ({
  protocol: 'http:',
  host: url.hostname,
  port: url.port,
  path: `${url.origin}${url.pathname}${url.search}`,
  // got always gives an object; Node would take a flat list too.
  headers: {...(headers as OutgoingHttpHeaders), host: url.host, ...proxyHeaders(proxy)},
});

/** An address has no server name in TLS. */
const serverName = ({hostname}: URL): string => (isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '');
