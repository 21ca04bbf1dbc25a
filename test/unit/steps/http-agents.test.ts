import {once} from 'node:events';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import {describe, it} from 'vitest';
import {httpClient} from '../../../src/steps/http-client.js';
import {makeCertificate} from '../../rig/certificate.js';
import {startScriptedServer} from '../../rig/scripted-server.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {launchWith} from '../plugins/update-check/launch.js';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok';

/** A server that answers the first request of each connection, and does this at the second. */
const startFickle = async (
  second: (socket: Socket) => void,
): Promise<AsyncDisposable & {readonly port: number; readonly requests: () => readonly number[]}> => {
  const requests: number[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const own = requests.push(0) - 1;
    open.add(socket.on('error', () => undefined));
    socket.on('data', () => {
      requests[own] = (requests[own] ?? 0) + 1;
      if (requests[own] === 1) socket.write(answer);
      else second(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
};

describe('connections of look-ups', () => {
  it('are kept for the next request, by everybody who trusts the same', async ({expect}) => {
    const {key, cert, certFile} = await makeCertificate(await temporaryDirectory('agents'));
    await using server = await startScriptedServer({tls: {key, cert}, answer: () => ({body: {fine: true}})});
    const launch = launchWith({env: {SSL_CERT_FILE: certFile}});
    for (let request = 0; request < 3; request += 1) {
      const http = await httpClient(launch);
      await http.get(`https://localhost:${server.port}/${request}`).json();
    }
    expect([server.requests.length, server.connections()]).toEqual([3, 1]);
  });

  it('are replaced when the far end has closed them meanwhile', async ({expect}) => {
    await using server = await startFickle((socket) => socket.resetAndDestroy());
    const http = await httpClient(launchWith());
    const address = `http://127.0.0.1:${server.port}/`;
    expect(await http.get(address).text()).toBe('ok');
    expect(await http.get(address).text()).toBe('ok');
    expect(server.requests()).toEqual([2, 1]);
  });

  it('that break off at their first request are no reason to ask again', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({fault: 'reset'})});
    const http = await httpClient(launchWith());
    await expect(http.get(`http://127.0.0.1:${server.port}/`).text()).rejects.toThrow('127.0.0.1');
    expect(server.requests.length).toBe(1);
  });
});
