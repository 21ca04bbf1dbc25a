import {connect, type Socket} from 'node:net';
import {buildId} from '../system/build-id.js';
import {encodeFrame, type Frame, FrameReader} from './frames.js';
import {encodeGreeting} from './greeting.js';
import {protocolVersion} from './messages.js';

/** What came next on a channel. */
export type Received =
  | {readonly kind: 'frame'; readonly frame: Frame}
  /** Nothing came within the limit. */
  | {readonly kind: 'silence'}
  /** The peer is gone, or was never there; `code` as the system has it. */
  | {readonly kind: 'gone'; readonly code: string}
  /** The peer does not speak frames. */
  | {readonly kind: 'nonsense'};

/** A connection to the daemon from a short-lived process: send frames, take what comes, with a limit on each wait. */
export class Channel {
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #frames: Frame[] = [];
  #end: Extract<Received, {kind: 'gone' | 'nonsense'}> | undefined;
  #wake: (() => void) | undefined;

  /** Connects and greets; what is sent before the connection stands goes out with the greeting. */
  constructor(path: string) {
    this.#socket = connect(path);
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#finish({kind: 'gone', code: error.code ?? 'unknown'}),
    );
    this.#socket.on('close', () => this.#finish({kind: 'gone', code: 'closed'}));
    this.#socket.cork();
    this.#socket.write(encodeGreeting('hello', {protocol: protocolVersion, build: buildId}));
  }

  send(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame);
    this.#socket.uncork();
  }

  sendJson(type: number, value: unknown): void {
    this.send(encodeFrame(type, Buffer.from(JSON.stringify(value))));
  }

  /** The next frame, or why there is none. `limit` in milliseconds. */
  async next(limit: number): Promise<Received> {
    if (this.#frames.length === 0 && this.#end === undefined) await this.#wait(limit);
    const frame = this.#frames.shift();
    if (frame !== undefined) return {kind: 'frame', frame};
    return this.#end ?? {kind: 'silence'};
  }

  /** The process may end although the channel is open. */
  unref(): void {
    this.#socket.unref();
  }

  ref(): void {
    this.#socket.ref();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Resolves when the system has taken what was sent, or after `limit` milliseconds: the peer reads it in its own time. */
  async flushed(limit: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limit);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#socket.writable) this.#socket.write('', done);
      else done();
    });
  }

  /** A timer that fires on a busy machine may be late itself: what has arrived by then is taken in before it counts. */
  async #wait(limit: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => setImmediate(() => setImmediate(resolve)), limit);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #receive(chunk: Buffer): void {
    const received = this.#reader.push(chunk);
    if (!received.ok) {
      this.#finish({kind: 'nonsense'});
      this.#socket.destroy();
      return;
    }
    this.#frames.push(...received.frames);
    if (received.frames.length > 0) this.#wake?.();
  }

  #finish(end: Extract<Received, {kind: 'gone' | 'nonsense'}>): void {
    this.#end ??= end;
    this.#wake?.();
  }
}
