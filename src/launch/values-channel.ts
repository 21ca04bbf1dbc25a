import type {LaunchId} from '../model/units.js';
import {encodeValues, type LateValue} from '../protocol/values-codec.js';
import {LaunchSocket} from './launch-socket.js';

/**
 * Where the program of one target fetches its late values: a Unix socket in the daemon's own directory, for as long as
 * the launch lasts. Whoever comes late gets what was sent before. Nothing of it touches a disk.
 */
export class ValuesChannel {
  readonly #socket: LaunchSocket;
  readonly #sent: Buffer[];

  private constructor(socket: LaunchSocket, sent: Buffer[]) {
    this.#socket = socket;
    this.#sent = sent;
  }

  /** Undefined where there is no place for a socket. `directory` is ours alone. */
  static async open(directory: string, launch: LaunchId): Promise<ValuesChannel | undefined> {
    const sent: Buffer[] = [];
    const socket = await LaunchSocket.open(directory, 'values', launch, (reader) => {
      for (const frames of sent) reader.write(frames);
    });
    return socket === undefined ? undefined : new ValuesChannel(socket, sent);
  }

  get path(): string {
    return this.#socket.path;
  }

  /** `last`: the target's first command need not wait any longer; what is sent after it replaces what was sent. */
  send(values: readonly LateValue[], last: boolean): void {
    const frames = encodeValues(values, last);
    this.#sent.push(frames);
    for (const reader of this.#socket.peers) reader.write(frames);
  }

  close(): void {
    this.#socket.close();
  }
}
