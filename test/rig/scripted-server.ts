import {once} from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';
import {setTimeout as wait} from 'node:timers/promises';

/** One request as it came in; `headers` lower-cased, `rawHeaders` as sent. */
export type RecordedRequest = {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
};

export type ScriptedAnswer = {
  readonly status?: number;
  /** An array sends the header once per value. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object is sent as JSON; a string or buffer as it is. */
  readonly body?: string | Buffer | object;
  /** Milliseconds before the answer. */
  readonly delay?: number;
  /** The answer waits for this, so that a test decides its moment. */
  readonly until?: Promise<unknown>;
  /** `hang`: never answered. `reset`: the connection is reset. `cut`: closed in the middle of the body. */
  readonly fault?: 'hang' | 'reset' | 'cut';
};

export type ScriptedServer = AsyncDisposable & {
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** Connections opened so far. */
  readonly connections: () => number;
  /** The `count`-th request that matches, counted from the start: resolves now or when it comes. */
  readonly arrival: (matches: (request: RecordedRequest) => boolean, count?: number) => Promise<RecordedRequest>;
};

export type ScriptedServerOptions = {
  readonly answer: (request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;
  readonly tls?: {readonly key: string; readonly cert: string};
};

/** An HTTP or HTTPS server on 127.0.0.1 that answers as told and records what it was asked. */
export async function startScriptedServer({answer, tls}: ScriptedServerOptions): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const watchers = new Set<() => void>();
  const sockets = new Map<number | undefined, Socket>();
  let opened = 0;

  const listener: RequestListener = (incoming, response) => {
    void readBody(incoming).then(async (body) => {
      const request = toRecord(incoming, body);
      requests.push(request);
      for (const watcher of watchers) watcher();
      await respond(response, await answer(request), () => sockets.get(incoming.socket.remotePort)?.resetAndDestroy());
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer({...tls}, listener);
  server.keepAliveTimeout = 0;
  server.on('connection', (socket: Socket) => {
    opened += 1;
    const port = socket.remotePort;
    sockets.set(port, socket);
    socket.on('close', () => sockets.delete(port));
    socket.on('error', () => sockets.delete(port));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => opened,
    arrival: (matches, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          const found = requests.filter(matches)[count - 1];
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  incoming.on('error', () => undefined);
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const toRecord = ({method = '', url = '', headers, rawHeaders}: IncomingMessage, body: string): RecordedRequest => ({
  method,
  url,
  headers,
  rawHeaders,
  body,
});

async function respond(response: ServerResponse, answer: ScriptedAnswer, reset: () => void): Promise<void> {
  if (answer.fault === 'hang') return;
  if (answer.delay !== undefined && answer.delay > 0) await wait(answer.delay);
  await answer.until;
  if (answer.fault === 'reset') return reset();
  const body = bytesOf(answer.body);
  response.statusCode = answer.status ?? 200;
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  const hasBody = response.statusCode !== 304 && response.statusCode !== 204;
  if (hasBody && !response.hasHeader('content-length')) response.setHeader('content-length', body.length);
  if (answer.fault === 'cut') {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
    return;
  }
  response.end(hasBody && response.req.method !== 'HEAD' ? body : undefined);
}

function bytesOf(body: ScriptedAnswer['body']): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
