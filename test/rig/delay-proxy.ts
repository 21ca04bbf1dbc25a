import {once} from 'node:events';
import {createServer as createHttpServer, request as httpRequest, type RequestListener} from 'node:http';
import {type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket} from 'node:net';
import {setTimeout as wait} from 'node:timers/promises';
import {makeGate} from './gate.js';

export type DelayProxyOptions = {
  /** Port on 127.0.0.1 that everything goes on to. */
  readonly target: number;
  /** Milliseconds added to each request (`http`) or connection (`tcp`). */
  readonly delay?: number;
  /** `tcp` sees no requests, but carries TLS. */
  readonly mode?: 'http' | 'tcp';
};

export type DelayProxy = AsyncDisposable & {
  readonly port: number;
  readonly setDelay: (milliseconds: number) => void;
  /** Requests (`http`) or connections (`tcp`) that arrived so far, answered or not. */
  readonly count: () => number;
  /** Most of them open at one moment. */
  readonly peak: () => number;
  /** Resolves once `count` have arrived. */
  readonly arrived: (count: number) => Promise<void>;
  /** Keeps what arrives from now on waiting, until the returned function is called. */
  readonly hold: () => () => void;
};

/** A proxy on loopback that makes a fast local server as slow as a far one, and counts. */
export async function startDelayProxy({target, delay = 0, mode = 'http'}: DelayProxyOptions): Promise<DelayProxy> {
  const gate = new Turnstile(delay);
  const sockets = new Set<Socket>();
  const server: Server = mode === 'http' ? createHttpServer(forwardRequest(gate, target)) : tcpServer(gate, target);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setDelay: (milliseconds) => {
      gate.delay = milliseconds;
    },
    count: () => gate.count,
    peak: () => gate.peak,
    arrived: (count) => gate.arrived(count),
    hold: () => gate.hold(),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Counts what comes in, and lets each through after the delay and after whatever holds the gate. */
class Turnstile {
  delay: number;
  count = 0;
  peak = 0;
  #open = 0;
  #held: Promise<void> = Promise.resolve();
  readonly #watchers = new Set<() => void>();

  constructor(delay: number) {
    this.delay = delay;
  }

  async enter(): Promise<void> {
    this.count += 1;
    this.#open += 1;
    this.peak = Math.max(this.peak, this.#open);
    for (const watcher of this.#watchers) watcher();
    if (this.delay > 0) await wait(this.delay);
    await this.#held;
  }

  leave(): void {
    this.#open -= 1;
  }

  hold(): () => void {
    const {opened, open} = makeGate();
    this.#held = opened;
    return open;
  }

  arrived(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.count < count) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }
}

/** The Host header stays as the client wrote it, so that a server builds links that lead back through here. */
const forwardRequest =
  (gate: Turnstile, target: number): RequestListener =>
  (incoming, response) => {
    response.once('close', () => gate.leave());
    void gate.enter().then(() => {
      const {method, url, headers} = incoming;
      const onward = httpRequest(
        {host: '127.0.0.1', port: target, method, path: url, headers, agent: false},
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
          answer.pipe(response);
        },
      );
      onward.on('error', () => response.destroy());
      response.once('close', () => onward.destroy());
      incoming.pipe(onward);
    });
  };

const tcpServer = (gate: Turnstile, target: number): Server =>
  createTcpServer({allowHalfOpen: true}, (socket) => {
    socket.once('close', () => gate.leave());
    void gate.enter().then(() => {
      if (socket.destroyed) return;
      const onward = connect({host: '127.0.0.1', port: target, allowHalfOpen: true});
      onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      socket.pipe(onward);
      onward.pipe(socket);
    });
  });
