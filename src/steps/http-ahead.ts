import type {RequestOptions} from 'node:https';
import {isIP} from 'node:net';
import {connect, type SecureContext, type TLSSocket} from 'node:tls';
import {systemClock} from '../system/clock.js';
import {extraCertificates, trust} from './http-certificates.js';
import type {HttpLaunch} from './http-client.js';
import {proxyFor} from './http-proxy.js';

interface Far {
  readonly context: SecureContext;
  readonly host: string;
  readonly port: number;
  /** `host:port`. */
  readonly name: string;
}

/**
 * A TLS connection that was made before a request of `httpClient` wants one. It lives in the thread of the plugin that will
 * ask: a socket belongs to the event loop that opened it and cannot be handed to another.
 */
export class AheadConnection {
  /** `host:port`. */
  readonly name: string;
  /** Monotonic milliseconds at which it was begun. */
  readonly beganAt = systemClock.now();
  /** Resolves when TLS stands (`ok`), or with the code of what is wrong (`CERT_HAS_EXPIRED`, `ECONNREFUSED`). */
  readonly tls: Promise<string>;
  /** Resolves when a request has it, or nobody can have it any more. */
  readonly ended: Promise<void>;
  readonly #socket: TLSSocket;
  readonly #timer: NodeJS.Timeout;
  readonly #leave: () => void;
  #over: () => void = () => undefined;
  #readyAt: number | undefined;
  #isUsed = false;

  constructor({context, host, port, name}: Far, holdFor: number, leave: (one: AheadConnection) => void) {
    this.name = name;
    this.#socket = connect({
      host,
      port,
      secureContext: context,
      // An address has no server name in TLS.
      ...(isIP(host) === 0 ? {servername: host} : {}),
      // What Node's own agent offers: an answer in HTTP/2 could not be read.
      ALPNProtocols: ['http/1.1'],
    });
    this.#socket.setNoDelay(true).unref();
    this.#leave = () => leave(this);
    this.#timer = setTimeout(() => this.#socket.destroy(), holdFor).unref();
    this.ended = new Promise((resolve) => {
      this.#over = resolve;
    });
    this.tls = this.#secured();
  }

  /** Monotonic milliseconds at which TLS stood; undefined before, and where it never will. */
  get readyAt(): number | undefined {
    return this.#readyAt;
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Closes it, unless a request has it. */
  drop(): void {
    if (!this.#isUsed) this.#socket.destroy();
  }

  /** Its socket, which is the caller's from now on; undefined where it is good for nothing any more. */
  take(): TLSSocket | undefined {
    const socket = this.#socket;
    // What a server says unasked (`408`, before it closes) would be taken for the answer.
    if (socket.destroyed || !socket.writable || socket.readableLength > 0) {
      socket.destroy();
      return undefined;
    }
    this.#isUsed = true;
    this.#end();
    return socket.off('end', this.#endWithFar).ref();
  }

  #secured(): Promise<string> {
    return new Promise((resolve) => {
      this.#socket.once('end', this.#endWithFar);
      this.#socket.once('secureConnect', () => {
        this.#readyAt = systemClock.now();
        resolve('ok');
      });
      this.#socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)); // 'close' follows
      this.#socket.once('close', () => {
        if (!this.#isUsed) this.#end();
        resolve('given up');
      });
    });
  }

  /** The far end wants it no longer. */
  readonly #endWithFar = (): void => void this.#socket.destroy();

  #end(): void {
    clearTimeout(this.#timer);
    this.#leave();
    this.#over();
  }
}

/** Held in one thread at a time, and one of them to each host: a look-up's requests come one after the other. */
const mostHeld = 8;

/** By what is trusted, as the agents are, and by `host:port`. */
const pools = new WeakMap<SecureContext, Map<string, AheadConnection>>();
const held = new Set<AheadConnection>();

export interface AheadOptions {
  /** How long it is held, in milliseconds. */
  readonly holdFor: number;
  /** Leaves hosts alone of which this is true. */
  readonly unless?: (context: SecureContext, host: string, port: number) => boolean;
}

/**
 * Connects to the host of an address as a request of this launch would, and holds that for a time; gives the
 * one that is held already where there is one. Undefined where it would be of no use or is not wanted: not for plain HTTP,
 * not where the launch has a proxy for this address, not when eight are held. Nothing is sent; it keeps no process alive.
 */
export const connectAhead = async (
  launch: HttpLaunch,
  address: string,
  {holdFor, unless}: AheadOptions,
): Promise<AheadConnection | undefined> => {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== 'https:' || hasProxy(launch, url)) return undefined;
  const context = trust(await extraCertificates(launch));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 443 : Number(url.port);
  const name = nameOf(host, port);
  const pool = pools.get(context) ?? new Map<string, AheadConnection>();
  pools.set(context, pool);
  const known = pool.get(name);
  if (known !== undefined) return known;
  if (held.size >= mostHeld || unless?.(context, host, port) === true) return undefined;
  const made = new AheadConnection({context, host, port, name}, holdFor, (one) => {
    held.delete(one);
    if (pool.get(name) === one) pool.delete(name);
  });
  held.add(made);
  pool.set(name, made);
  return made;
};

/** One whose variable names no usable proxy is the look-up's to report. */
const hasProxy = ({env}: HttpLaunch, url: URL): boolean => {
  try {
    return proxyFor(env, url) !== undefined;
  } catch {
    return true;
  }
};

const nameOf = (host: string, port: number | string): string => `${host}:${port}`;

/** Sockets that stood before their request came: the far end may close such a one at the same moment. */
const stood = new WeakSet<object>();

/** The connection that is held for a request, which is the request's from now on. */
export const takeAhead = (
  context: SecureContext,
  {host, port, cert, key, pfx, localAddress}: RequestOptions,
): TLSSocket | undefined => {
  // Another identity or another way than the one it was made with.
  if ([cert, key, pfx, localAddress].some((own) => own !== undefined)) return undefined;
  const ahead = pools.get(context)?.get(nameOf(host ?? 'localhost', port ?? 443));
  const socket = ahead?.take();
  if (socket !== undefined && ahead?.readyAt !== undefined) stood.add(socket);
  return socket;
};

/** Was this socket connected before its request came? */
export const stoodAhead = (socket: object | null): boolean => socket !== null && stood.has(socket);
