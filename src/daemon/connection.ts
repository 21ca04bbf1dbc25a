import type {Socket} from 'node:net';
import type {Engine} from '../launch/engine.js';
import {readAsk} from '../protocol/asks.js';
import {encodeFrame, type Frame, FrameReader} from '../protocol/frames.js';
import {compareBuilds, decodeGreeting, encodeGreeting} from '../protocol/greeting.js';
import {decodeLaunch} from '../protocol/launch-codec.js';
import {frameType, type Greeting, protocolVersion} from '../protocol/messages.js';
import {decodeProgress, encodePass} from '../protocol/progress-codec.js';
import {buildId} from '../system/build-id.js';
import type {Clock} from '../system/clock.js';
import type {Log} from '../system/log-file.js';
import type {Handlers} from './handlers.js';
import {LaunchSession} from './launch-session.js';
import type {Turns} from './turns.js';

/** What a connection works with. */
export interface ConnectionParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: Handlers;
  readonly turns: Turns;
  /** The daemon gives its place to a newer one: no new launches. */
  readonly isDraining: () => boolean;
}

const welcome = encodeGreeting('welcome', {protocol: protocolVersion, build: buildId});

/**
 * One peer. Frames are handled in order, one at a time; what a peer does wrong costs the peer its connection and nobody
 * else anything.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  readonly #reader = new FrameReader();
  #greeting: Greeting | undefined;
  #unsent: Buffer | undefined;
  #session: LaunchSession | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    const left = (): void => this.#session?.left(parts.clock.now());
    socket.once('end', left).once('close', left); // without an 'end' where the peer left something unread
    socket.on('error', () => undefined); // 'close' follows
  }

  get isLaunching(): boolean {
    return this.#session?.isRunning ?? false;
  }

  get hasLaunched(): boolean {
    return this.#session !== undefined;
  }

  /**
   * Resolves when the peer is gone and everything it had going has come to an end. Only then its launch is put on record,
   * unless somebody asks: until then a front may still be on its way out, and the processor is better left to it.
   */
  async closed(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    await this.#work;
    this.#session?.gone();
    await this.#session?.record();
    await this.#session?.settled();
  }

  /** Resolves when this peer's launch is on record, if it has ended by now. */
  async settle(): Promise<void> {
    if (this.#socket.destroyed || this.#socket.readableEnded) this.#session?.gone();
    await this.#session?.record();
  }

  #receive(chunk: Buffer): void {
    const received = this.#reader.push(chunk);
    if (!received.ok) {
      this.#drop(received.reason);
      return;
    }
    for (const [index, frame] of received.frames.entries()) {
      const next = received.frames[index + 1]?.type;
      this.#work = this.#work.then(async () => {
        try {
          await this.#handle(frame, next);
        } catch (error) {
          // A bug of ours: this launch goes on without us, the daemon goes on without this connection.
          this.#parts.log('internal-error', {
            detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
          });
          this.#send(encodePass('failed'));
          this.#socket.end();
        }
      });
    }
  }

  async #handle({type, payload}: Frame, next: number | undefined): Promise<void> {
    if (
      this.#socket.destroyed &&
      type !== frameType.ended &&
      type !== frameType.line &&
      type !== frameType.started &&
      type !== frameType.ready
    )
      return;
    if (this.#greeting === undefined) {
      this.#greet(type, payload, next === frameType.launch && this.#parts.turns.isFree);
      return;
    }
    switch (type) {
      case frameType.launch:
        await this.#launch(payload, this.#greeting);
        return;
      case frameType.ask:
        await this.#ask(payload);
        return;
      case frameType.started:
      case frameType.line:
      case frameType.ready:
      case frameType.ended: {
        const progress = decodeProgress(type, payload);
        if (progress === undefined || this.#session === undefined) this.#drop('a report that makes no sense');
        else this.#session.progress(progress);
        return;
      }
      default:
        this.#drop(`a frame of type ${type}`);
    }
  }

  /** A launch that came along, alone, is answered in a moment, and our greeting with it: one write and one awakening less. */
  #greet(type: number, payload: Buffer, withPlan: boolean): void {
    this.#greeting = type === frameType.hello ? decodeGreeting(payload) : undefined;
    if (this.#greeting === undefined) this.#drop('no greeting of ours');
    else if (withPlan) this.#unsent = welcome;
    else this.#send(welcome);
  }

  async #launch(payload: Buffer, greeting: Greeting): Promise<void> {
    if (greeting.protocol !== protocolVersion || greeting.build !== buildId) {
      const order = compareBuilds(greeting.build, buildId);
      this.#send(encodePass(order < 0 || greeting.protocol < protocolVersion ? 'newer-daemon' : 'older-daemon'));
      return;
    }
    if (this.#parts.isDraining()) {
      this.#send(encodePass('draining'));
      return;
    }
    const request = decodeLaunch(payload);
    if (request === undefined || this.#session !== undefined) {
      this.#drop('a launch request that makes no sense');
      return;
    }
    this.#session = new LaunchSession(this.#parts.engine, this.#parts.clock, this.#parts.turns, (frame) =>
      this.#send(frame),
    );
    await this.#session.plan(request);
  }

  async #ask(payload: Buffer): Promise<void> {
    const ask = readAsk(payload);
    const reply =
      ask === undefined
        ? {ok: false, failure: {reason: 'bad-argument', detail: 'the daemon does not know this question'}}
        : await this.#parts.handlers[ask.kind](ask as never);
    this.#send(encodeFrame(frameType.reply, Buffer.from(JSON.stringify(reply))));
  }

  #send(frame: Buffer): void {
    const unsent = this.#unsent;
    this.#unsent = undefined;
    if (this.#socket.writable) this.#socket.write(unsent === undefined ? frame : Buffer.concat([unsent, frame]));
  }

  #drop(reason: string): void {
    this.#parts.log('peer-dropped', {reason});
    this.#socket.destroy();
  }
}
