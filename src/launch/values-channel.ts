import {chmodSync, unlinkSync} from 'node:fs';
import {createServer, type Server, type Socket} from 'node:net';
import {join} from 'node:path';
import type {LaunchId} from '../model/units.js';
import {encodeValues, type LateValue} from '../protocol/values-codec.js';

/**
 * Where the program of one target fetches its late values: a Unix socket in the daemon's own directory, for as long as
 * the launch lasts. Whoever comes late gets what was sent before. Nothing of it touches a disk.
 */
export class ValuesChannel {
  readonly path: string;
  readonly #server: Server;
  readonly #readers = new Set<Socket>();
  #sent: readonly Buffer[] = [];

  private constructor(path: string, server: Server) {
    this.path = path;
    this.#server = server;
  }

  /** Undefined where there is no place for a socket. `directory` is ours alone. */
  static async open(directory: string, launch: LaunchId): Promise<ValuesChannel | undefined> {
    const path = join(directory, `values-${process.pid}-${launch}`);
    const server = createServer();
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(path, () => resolve(true));
    });
    if (!isListening) return undefined;
    server.unref();
    chmodSync(path, 0o600);
    const channel = new ValuesChannel(path, server);
    server.on('connection', (reader) => channel.#serve(reader));
    return channel;
  }

  /** `last`: the target's first command need not wait any longer; what is sent after it replaces what was sent. */
  send(values: readonly LateValue[], last: boolean): void {
    const frames = encodeValues(values, last);
    this.#sent = [...this.#sent, frames];
    for (const reader of this.#readers) reader.write(frames);
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
    this.#server.close();
    try {
      unlinkSync(this.path); // closing a server does that as well, unless its directory has moved
    } catch {
      // it is gone
    }
  }

  #serve(reader: Socket): void {
    this.#readers.add(reader);
    reader.unref();
    reader.on('error', () => undefined); // a target that has ended
    reader.on('close', () => this.#readers.delete(reader));
    for (const frames of this.#sent) reader.write(frames);
  }
}
