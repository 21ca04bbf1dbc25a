import {once} from 'node:events';
import {rm} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {join} from 'node:path';
import {requireProgram, type Service, startService} from './program.js';
import {temporaryDirectory} from './temporary-directory.js';

export type Redis = AsyncDisposable & {
  readonly port: number;
  /** `redis://127.0.0.1:PORT`. */
  readonly url: string;
  readonly socketPath: string;
  readonly pid: number;
};

/** Another program can take a port between our finding it free and redis binding it. */
const ATTEMPTS = 5;

/** Debian's redis-server on loopback: nothing kept on disk, directory and socket of its own. */
export async function startRedis(): Promise<Redis> {
  const program = requireProgram('redis-server', 'redis-server');
  const directory = await temporaryDirectory('redis');
  const socketPath = join(directory, 'redis.sock');
  const {service, port} = await startOnFreePort(program, directory, socketPath);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    socketPath,
    pid: service.pid,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await rm(directory, {recursive: true, force: true});
    },
  };
}

async function startOnFreePort(
  program: string,
  directory: string,
  socketPath: string,
  attempt = 1,
): Promise<{service: Service; port: number}> {
  const port = await freePort();
  const network = ['--port', String(port), '--bind', '127.0.0.1', '--unixsocket', socketPath];
  const storage = ['--save', '', '--appendonly', 'no', '--dir', directory, '--daemonize', 'no'];
  try {
    const service = await startService([program, ...network, ...storage], {
      ready: /ready to accept connections (at|unix)/i,
      cwd: directory,
    });
    return {service, port};
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    return startOnFreePort(program, directory, socketPath, attempt + 1);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
