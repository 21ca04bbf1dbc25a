import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse, request as send} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {type AddressInfo, connect, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';

export interface TestProxy extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** First lines of what came in: `CONNECT host:port` or `GET http://…`. */
  readonly asked: readonly string[];
  readonly credentials: readonly (string | undefined)[];
}

export interface TestProxyOptions {
  /** Refuse everything with this status. */
  readonly status?: number;
  /** Where tunnels and plain requests really go, whatever host was asked for: a port on 127.0.0.1. */
  readonly to?: number;
  /** Speak TLS with the client. */
  readonly tls?: {readonly key: string; readonly cert: string};
}

/** A proxy on loopback for plain requests and CONNECT, which records who asked for what. */
export const startProxy = async ({status, to, tls}: TestProxyOptions = {}): Promise<TestProxy> => {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    asked.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    credentials.push(incoming.headers['proxy-authorization']);
    if (status !== undefined) return void response.writeHead(status).end();
    const url = new URL(incoming.url ?? '');
    const {'proxy-authorization': _, ...headers} = incoming.headers;
    const onward = send(
      {host: '127.0.0.1', port: to ?? Number(url.port), path: url.pathname + url.search, headers, agent: false},
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    onward.end();
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer({...tls}, answer);
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    asked.push(`CONNECT ${incoming.url ?? ''}`);
    credentials.push(incoming.headers['proxy-authorization']);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${String(status)} No\r\n\r\n`);
    const far = connect(to ?? Number((incoming.url ?? '').split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    sockets.add(far);
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked,
    credentials,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
