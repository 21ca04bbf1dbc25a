import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {describe, it} from 'vitest';
import {isOwnPeer} from '../../../src/system/own-peer.js';

/** Listens, has somebody connect, and hands over the connection from our side. */
const connected = async (by: (port: number) => void): Promise<Socket> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  by((server.address() as AddressInfo).port);
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  return socket;
};

describe('who is at the other end of a connection', () => {
  it('is told for our own user', async ({expect}) => {
    let client: Socket | undefined;
    const socket = await connected((port) => {
      client = connect(port, '127.0.0.1');
    });
    expect(isOwnPeer(socket)).toBe(true);
    client?.destroy();
    socket.destroy();
  });

  it('is nobody of ours where there is no such connection', ({expect}) => {
    expect(isOwnPeer({localPort: 1, remotePort: 1})).toBe(false);
    expect(isOwnPeer({})).toBe(false);
  });

  it.skipIf(process.geteuid?.() !== 0)('is told for another user', async ({expect}) => {
    const script = (port: number) => `require('node:net').connect(${port}, '127.0.0.1').resume()`;
    const socket = await connected((port) => {
      spawn(process.execPath, ['-e', script(port)], {uid: 65_534, gid: 65_534, stdio: 'ignore', cwd: '/'});
    });
    expect(isOwnPeer(socket)).toBe(false);
    socket.destroy();
  });
});
