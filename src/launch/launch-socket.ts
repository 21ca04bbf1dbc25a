import {chmodSync, unlinkSync} from 'node:fs';
import {createServer, type Server, type Socket} from 'node:net';
import {join} from 'node:path';
import type {LaunchId} from '../model/units.js';

/**
 * A Unix socket of one launch, for as long as it lasts. Its name begins with what it is for and the number of this process,
 * by which the next daemon finds what a killed one has left (`daemon/left-overs.ts`). It keeps no process alive.
 */
export class LaunchSocket {
  readonly path: string;
  readonly #server: Server;
  readonly #peers = new Set<Socket>();

  private constructor(path: string, server: Server) {
    this.path = path;
    this.#server = server;
  }

  /** Undefined where there is no place for a socket. `directory` is ours alone. */
  static async open(
    directory: string,
    purpose: 'values' | 'first-use',
    launch: LaunchId,
    serve: (peer: Socket) => void,
  ): Promise<LaunchSocket | undefined> {
    const path = join(directory, `${purpose}-${process.pid}-${launch}`);
    const server = createServer();
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(path, () => resolve(true));
    });
    if (!isListening) return undefined;
    server.unref();
    chmodSync(path, 0o600);
    const socket = new LaunchSocket(path, server);
    server.on('connection', (peer) => {
      socket.#keep(peer);
      serve(peer);
    });
    return socket;
  }

  /** Those who are connected now. */
  get peers(): Iterable<Socket> {
    return this.#peers;
  }

  /** Ends what is under way once it has been sent. */
  close(): void {
    for (const peer of this.#peers) peer.end();
    this.#server.close();
    try {
      unlinkSync(this.path); // closing a server does that as well, unless its directory has moved
    } catch {
      // it is gone
    }
  }

  #keep(peer: Socket): void {
    this.#peers.add(peer);
    peer.unref();
    peer.on('error', () => undefined); // one that has ended
    peer.on('close', () => this.#peers.delete(peer));
  }
}
