import {lookup} from 'node:dns/promises';
import {request as plainRequest} from 'node:http';
import {connect as connectPlain, type Socket} from 'node:net';
import {toMicro} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import {tcpListeners} from './listeners.js';
import {ownersOfSocket, processName} from './process-tree.js';
import {prepareTls} from './secure-socket.js';

/** The parts of a first connection, in the order in which they follow one another. */
export type ConnectPart = 'resolve' | 'connect' | 'tls' | 'request' | 'first-byte';

export interface ConnectReport {
  readonly url: string;
  /** Numeric, as the name was resolved; null when it was not. */
  readonly address: string | null;
  /** How long each part took, in milliseconds; a part that was not come to is absent. */
  readonly parts: readonly {readonly name: ConnectPart; readonly ms: number}[];
  readonly totalMs: number;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Tries before a connection was accepted, and how long they were refused; only with `waitMs`. */
  readonly refused: {readonly tries: number; readonly ms: number} | null;
  /** What is wrong with its certificate; null where nothing is, or where it was not seen. */
  readonly certificate: string | null;
  /** Where it ended, in words; null when it answered. */
  readonly fault: string | null;
  readonly failedAt: ConnectPart | null;
}

/** Between two tries at an address that refuses, in milliseconds. */
const retryGapMs = 5;

class Broken extends Error {
  readonly part: ConnectPart;

  constructor(part: ConnectPart, message: string) {
    super(message);
    this.part = part;
  }
}

export interface ConnectOptions {
  /** How long an address that refuses is tried again, in milliseconds. */
  readonly waitMs: number;
  /** What any other part may take, in milliseconds. */
  readonly limitMs: number;
  /** Go on whatever the certificate is. */
  readonly anyCertificate: boolean;
}

/** Makes one connection and one request, and takes the time of each part by itself. */
export const connectUrl = async (url: URL, options: ConnectOptions): Promise<ConnectReport> => {
  const {waitMs, limitMs, anyCertificate} = options;
  const secure = url.protocol === 'https:' ? prepareTls(bareHost(url), anyCertificate) : undefined;
  const beganAt = systemClock.now();
  const parts: {name: ConnectPart; ms: number}[] = [];
  let address: string | null = null;
  let refused: ConnectReport['refused'] = null;
  let certificate: string | null = null;
  const timed = async <T>(name: ConnectPart, work: () => Promise<T>): Promise<T> => {
    const from = systemClock.now();
    try {
      return await work();
    } finally {
      parts.push({name, ms: toMicro(systemClock.now() - from)});
    }
  };
  const report = (status: number | null, fault: Broken | null): ConnectReport => ({
    url: url.href,
    address,
    parts,
    totalMs: toMicro(systemClock.now() - beganAt),
    status,
    refused,
    certificate,
    fault: fault?.message ?? null,
    failedAt: fault?.part ?? null,
  });
  let socket: Socket | undefined;
  try {
    const addresses = await timed('resolve', () => resolveHost(bareHost(url)));
    const tried = await timed('connect', () => connectAny(addresses, portOf(url), waitMs, limitMs));
    [socket, address, refused] = [tried.socket, tried.address, tried.refused];
    const plain = socket;
    let stream = plain;
    if (secure !== undefined) {
      const secured = await timed('tls', () => secure(plain, limitMs));
      certificate = secured.certificate;
      if (!secured.ok) throw new Broken('tls', secured.text);
      stream = secured.socket;
    }
    const answer = await ask(url, stream, limitMs, timed);
    return report(answer, null);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return report(null, error);
  } finally {
    socket?.destroy();
  }
};

const portOf = ({port, protocol}: URL): number => Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port);

const bareHost = ({hostname}: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const resolveHost = async (bare: string): Promise<readonly string[]> => {
  try {
    return (await lookup(bare, {all: true, verbatim: true})).map(({address}) => address);
  } catch (error) {
    throw new Broken('resolve', `'${bare}' cannot be resolved (${(error as NodeJS.ErrnoException).code ?? ''})`);
  }
};

interface Connected {
  readonly socket: Socket;
  readonly address: string;
  readonly refused: ConnectReport['refused'];
}

/** Each address in turn, and again while all refuse and there is time. */
const connectAny = async (
  addresses: readonly string[],
  port: number,
  waitMs: number,
  limitMs: number,
): Promise<Connected> => {
  const beganAt = systemClock.now();
  for (let tries = 0; ; tries += 1) {
    let fault = 'it has no address';
    for (const address of addresses) {
      const socket = await connectOnce(address, port, limitMs);
      const refusedMs = toMicro(systemClock.now() - beganAt);
      if (typeof socket !== 'string') return {socket, address, refused: tries === 0 ? null : {tries, ms: refusedMs}};
      fault = socket;
    }
    if (fault !== 'ECONNREFUSED') throw new Broken('connect', `connecting failed (${fault})`);
    if (systemClock.now() - beganAt >= waitMs) throw new Broken('connect', await refusedWords(port));
    await new Promise((resolve) => setTimeout(resolve, retryGapMs));
  }
};

const connectOnce = (host: string, port: number, limitMs: number): Promise<Socket | string> =>
  new Promise((resolve) => {
    const socket = connectPlain({host, port});
    socket.setTimeout(limitMs, () => {
      socket.destroy();
      resolve('no answer within the limit');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.once('connect', () => resolve(socket.setTimeout(0)));
  });

/**
 * Why nobody took the connection. A socket that is bound and does not listen stands in no table; but its port cannot be
 * taken by us either, so we ask for it as the source of a connection to nowhere.
 */
const refusedWords = async (port: number): Promise<string> => {
  const [listener] = tcpListeners(port);
  if (listener !== undefined) {
    const owner = ownersOfSocket(listener.inode).map(processName).join(', ');
    return `refused: the port is listened on at ${listener.address} only${owner === '' ? '' : `, by ${owner}`}`;
  }
  return (await isBound(port))
    ? 'refused: a socket is bound to the port, but nobody listens yet'
    : 'refused: nobody listens on the port';
};

const isBound = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    // Port 1 of this machine: if somebody listens even there, our socket is gone in the same moment.
    const socket = connectPlain({host: '127.0.0.1', port: 1, localAddress: '127.0.0.1', localPort: port});
    socket.once('error', ({code}: NodeJS.ErrnoException) => resolve(code === 'EADDRINUSE'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });

type Timed = <T>(name: ConnectPart, work: () => Promise<T>) => Promise<T>;

/** Sends the request over the connection that is there, through no proxy; the status of the answer. */
const ask = async (url: URL, stream: Socket, limitMs: number, timed: Timed): Promise<number> => {
  const request = plainRequest({
    createConnection: () => stream,
    path: `${url.pathname}${url.search}`,
    headers: {host: url.host, connection: 'close', accept: '*/*'},
  });
  const failure = new Promise<never>((_, reject) => {
    request.once('error', (error) => reject(new Broken('first-byte', `the connection broke: ${error.message}`)));
    request.setTimeout(limitMs, () => {
      reject(new Broken('first-byte', 'it accepts connections, and does not answer within the limit'));
      request.destroy();
    });
  });
  failure.catch(() => undefined);
  const response = new Promise<number>((resolve) =>
    request.once('response', ({statusCode}) => resolve(statusCode ?? 0)),
  );
  const firstByte = new Promise<void>((resolve) => stream.once('data', () => resolve()));
  await timed('request', () => Promise.race([new Promise<void>((resolve) => request.end(resolve)), failure]));
  await timed('first-byte', () => Promise.race([firstByte, response, failure]));
  return await Promise.race([response, failure]);
};
