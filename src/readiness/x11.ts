import {connect, type Socket} from 'node:net';
import type {Region} from './condition.js';
import {cookieFor, cookieMethod} from './x-authority.js';

/** Requests of the X11 core protocol that are used here, by their number. */
const opcode = {getGeometry: 14, queryTree: 15, internAtom: 16, getProperty: 20, getImage: 73} as const;

/** Longest wait for an answer of the X server, in milliseconds. */
const answerLimit = 2000;

/**
 * A connection to an X display, spoken to directly: nothing has to be installed. Only displays of this machine, over their
 * socket in /tmp; with the cookie that the target itself would show, where there is one.
 */
export class XDisplay {
  readonly #socket: Socket;
  #buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  #isClosed = false;
  root = 0;
  width = 0;
  height = 0;

  private constructor(number: string) {
    this.#socket = connect(`/tmp/.X11-unix/X${number}`);
    this.#socket.on('data', (chunk) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#wake?.();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#wake?.();
    });
    this.#socket.setTimeout(answerLimit, () => this.#socket.destroy());
  }

  /** A text where it cannot be looked at: why not. `env` is the target's. */
  static async open(display: string | undefined, env: NodeJS.ProcessEnv): Promise<XDisplay | string> {
    if (display === undefined || display === '') return 'DISPLAY is not set';
    const number = /^(?:unix)?:(\d+)(?:\.\d+)?$/.exec(display)?.[1];
    if (number === undefined) return `${display} is no display of this machine`;
    const opened = new XDisplay(number);
    const refusal = await opened.#greet(cookieFor(number, env));
    if (refusal === undefined) return opened;
    opened.close();
    return `${display} ${refusal}`;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Pixels of a region of the screen, 4 bytes each where the display has 24 bits; undefined when the server says no. */
  async image({x, y, width, height}: Region): Promise<Buffer | undefined> {
    const request = Buffer.alloc(20);
    request.writeUInt8(opcode.getImage, 0);
    request.writeUInt8(2, 1); // ZPixmap: pixel after pixel
    request.writeUInt16LE(5, 2);
    request.writeUInt32LE(this.root, 4);
    request.writeInt16LE(x, 8);
    request.writeInt16LE(y, 10);
    request.writeUInt16LE(width, 12);
    request.writeUInt16LE(height, 14);
    request.writeUInt32LE(0xffff_ffff, 16);
    const reply = await this.#ask(request);
    return reply?.subarray(32);
  }

  /** Titles of all windows that have one, from the root down. */
  async titles(): Promise<readonly string[]> {
    const utf8Name = await this.#atom('_NET_WM_NAME');
    const titles: string[] = [];
    const waiting = [this.root];
    for (let window = waiting.pop(); window !== undefined; window = waiting.pop()) {
      for (const atom of [utf8Name, 39]) {
        const title = atom === 0 ? undefined : await this.#property(window, atom);
        if (title !== undefined && title !== '') titles.push(title);
      }
      waiting.push(...(await this.#children(window)));
    }
    return titles;
  }

  /** Undefined when the server lets us in, else what it says. */
  async #greet(cookie: Buffer | undefined): Promise<string | undefined> {
    this.#socket.write(greeting(cookie));
    const head = await this.#take(8);
    if (head === undefined) return 'is not there';
    const rest = await this.#take(head.readUInt16LE(6) * 4);
    if (head[0] === 0) {
      const reason = rest?.toString('latin1', 0, head.readUInt8(1)).trim() ?? '';
      return `does not let us in: ${reason}`;
    }
    if (head[0] !== 1 || rest === undefined) return 'asks for more than a cookie';
    const vendor = rest.readUInt16LE(16);
    const formats = rest.readUInt8(21);
    const screen = 32 + vendor + ((4 - (vendor % 4)) % 4) + formats * 8;
    this.root = rest.readUInt32LE(screen);
    this.width = rest.readUInt16LE(screen + 20);
    this.height = rest.readUInt16LE(screen + 22);
    return undefined;
  }

  async #atom(name: string): Promise<number> {
    const padded = name.length + ((4 - (name.length % 4)) % 4);
    const request = Buffer.alloc(8 + padded);
    request.writeUInt8(opcode.internAtom, 0);
    request.writeUInt8(1, 1); // only if it exists
    request.writeUInt16LE(request.length / 4, 2);
    request.writeUInt16LE(name.length, 4);
    request.write(name, 8, 'latin1');
    return (await this.#ask(request))?.readUInt32LE(8) ?? 0;
  }

  async #children(window: number): Promise<readonly number[]> {
    const request = Buffer.alloc(8);
    request.writeUInt8(opcode.queryTree, 0);
    request.writeUInt16LE(2, 2);
    request.writeUInt32LE(window, 4);
    const reply = await this.#ask(request);
    if (reply === undefined) return [];
    return Array.from({length: reply.readUInt16LE(16)}, (_, index) => reply.readUInt32LE(32 + index * 4));
  }

  async #property(window: number, atom: number): Promise<string | undefined> {
    const request = Buffer.alloc(24);
    request.writeUInt8(opcode.getProperty, 0);
    request.writeUInt16LE(6, 2);
    request.writeUInt32LE(window, 4);
    request.writeUInt32LE(atom, 8);
    request.writeUInt32LE(256, 20);
    const reply = await this.#ask(request);
    return reply?.toString('utf8', 32, 32 + reply.readUInt32LE(16));
  }

  /** The reply to a request, or undefined for an error or the end. Events, which we ask for none of, are passed over. */
  async #ask(request: Buffer): Promise<Buffer | undefined> {
    this.#socket.write(request);
    for (;;) {
      const head = await this.#take(32);
      if (head === undefined || head[0] === 0) return undefined;
      if (head[0] !== 1) continue;
      const more = await this.#take(head.readUInt32LE(4) * 4);
      return more === undefined ? undefined : Buffer.concat([head, more]);
    }
  }

  async #take(length: number): Promise<Buffer | undefined> {
    while (this.#buffer.length < length) {
      if (this.#isClosed) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }
}

/** Little-endian, protocol 11.0, and how we prove ourselves; each text filled up to a multiple of four. */
const greeting = (cookie: Buffer | undefined): Buffer => {
  const method = Buffer.from(cookie === undefined ? '' : cookieMethod, 'latin1');
  const data = cookie ?? Buffer.alloc(0);
  const head = Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16LE(method.length, 6);
  head.writeUInt16LE(data.length, 8);
  return Buffer.concat([head, ...[method, data].flatMap((text) => [text, Buffer.alloc(-text.length & 3)])]);
};
