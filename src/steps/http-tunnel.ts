import {connect as connectPlain, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {type ConnectionOptions, connect as connectTls, type SecureContext} from 'node:tls';
import {type Proxy, proxyHeaders} from './http-proxy.js';
import {NoAnswer} from './no-answer.js';

type Done = (error: Error | null, socket: Duplex) => void;

export interface ProxyConnection {
  readonly proxy: Proxy;
  /** For a proxy that is itself reached over TLS. */
  readonly secureContext: SecureContext | undefined;
  /** Told how to end what is under way. */
  readonly track: (ends: () => void) => void;
}

/** Connects to a proxy; a failure is the proxy's, not the far host's. */
export const openSocket = ({proxy, secureContext, track}: ProxyConnection, done: Done): void => {
  const {hostname, port, protocol} = proxy.url;
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const to = {host, port: Number(port === '' ? (isTls ? 443 : 80) : port)};
  const socket: Socket = isTls ? connectTls({...to, ...(secureContext && {secureContext})}) : connectPlain(to);
  track(() => socket.destroy());
  const failed = (error: Error): void => {
    done(unusable(proxy, 'cannot be reached', error), socket);
  };
  socket.once('error', failed);
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    socket.off('error', failed);
    done(null, socket);
  });
};

export interface Tunnel extends ProxyConnection {
  readonly url: URL;
  readonly tls: ConnectionOptions;
}

/** Connects to the host of `url` through a proxy's CONNECT, with TLS inside. */
export const openTunnel = (tunnel: Tunnel, done: Done): void => {
  const {proxy, url, tls} = tunnel;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  openSocket(tunnel, (error, outer) => {
    if (error !== null) {
      done(error, outer);
      return;
    }
    const authority = `${url.hostname}:${url.port === '' ? '443' : url.port}`;
    const request = process.getBuiltinModule('node:http').request({
      method: 'CONNECT',
      path: authority,
      headers: {host: authority, ...proxyHeaders(proxy)},
      createConnection: () => outer,
    });
    request.once('error', (cause) => {
      done(unusable(proxy, 'broke off', cause), outer);
    });
    request.once('connect', (response, socket) => {
      const refusal = refusalOf(proxy, response.statusCode ?? 0, authority);
      done(refusal ?? null, refusal === undefined ? connectTls({...tls, host, socket}) : socket.destroy());
    });
    request.end();
  });
};

const refusalOf = (proxy: Proxy, status: number, authority: string): NoAnswer | undefined => {
  if (status >= 200 && status <= 299) return undefined;
  if (status === 407) return unusable(proxy, 'wants other credentials (status 407)');
  // The proxy works and could not get there (RFC 9110, 15.6.3 and 15.6.5).
  if (status === 502 || status === 504) {
    return new NoAnswer('unreachable', `${authority} cannot be reached through the proxy (status ${String(status)})`);
  }
  return unusable(proxy, `does not let ${authority} through (status ${String(status)})`);
};

const unusable = ({variable, url}: Proxy, what: string, cause?: Error): NoAnswer => {
  const code = cause !== undefined && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return new NoAnswer('proxy-unusable', `the proxy ${url.host} of ${variable} ${what}${code}`);
};
