import type {IncomingMessage, Server} from 'node:http';
import {type AddressInfo, connect, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {isOwnPeer} from 'bootcut/plugin';
import {take} from './held-connections.js';
import {parseHost} from './hosts.js';

let started: Promise<number> | undefined;

/**
 * The port on 127.0.0.1 of our proxy, one for all launches of this process, started when it is first used. It knows CONNECT
 * and nothing else: what goes through is TLS between the target and the far end. It goes wherever the target wants to go, as
 * it would without us, and serves processes of the user alone.
 */
export const proxyPort = async (): Promise<number> => {
  started ??= start();
  return await started;
};

const start = async (): Promise<number> => {
  // The CommonJS form: an import of node:http costs 30–40 ms from Node 22 on.
  const {createServer} = process.getBuiltinModule('node:http');
  const server = createServer((_, response) => {
    response.writeHead(501).end('this proxy knows CONNECT only\n');
  });
  server.on('connect', serve);
  server.on('clientError', (_, client: Duplex) => client.destroy());
  await listen(server);
  server.unref();
  return (server.address() as AddressInfo).port;
};

const listen = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen({port: 0, host: '127.0.0.1'}, () => resolve());
  });

const serve = ({url = '', socket}: IncomingMessage, client: Duplex, head: Buffer): void => {
  client.on('error', () => undefined); // 'close' follows
  const [far] = parseHost(url);
  if (!isOwnPeer(socket)) {
    client.destroy();
    return;
  }
  if (far === undefined) {
    client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    return;
  }
  const held = take(far.name);
  if (held === undefined) {
    const fresh = connect({host: far.host, port: far.port});
    const refuse = (): void => void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    fresh.once('error', refuse);
    fresh.once('connect', () => {
      fresh.off('error', refuse);
      join(client, fresh, head);
    });
  } else join(client, held, head);
};

const join = (client: Duplex, far: Socket, head: Buffer): void => {
  far.on('error', () => undefined).once('close', () => client.destroy());
  client.once('close', () => far.destroy());
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) far.write(head);
  client.pipe(far);
  far.pipe(client);
};
