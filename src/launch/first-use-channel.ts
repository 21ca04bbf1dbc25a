import type {Socket} from 'node:net';
import type {LaunchId} from '../model/units.js';
import {LaunchSocket} from './launch-socket.js';

/** Longest question, in characters: a word and the name of a command. */
const questionLimit = 512;

/** Longest answer, in bytes, as `launcher/first-use/ask.c` has it. */
const answerLimit = 16 * 2 ** 20;

/** Answers a question; undefined for nothing to give. Never rejects. */
export type Answerer = () => Promise<Buffer | undefined>;

/**
 * Where the shims of one launch, and the keeper of its files, have steps run. One line is asked on a connection, `command
 * NAME` or `file NUMBER`; the answer is four bytes of length and its bytes, or nothing but the end.
 */
export class FirstUseChannel {
  /** By question. */
  readonly #answers: Map<string, Answerer>;
  readonly #socket: LaunchSocket;

  private constructor(socket: LaunchSocket, answers: Map<string, Answerer>) {
    this.#socket = socket;
    this.#answers = answers;
  }

  /** Undefined where there is no place for a socket. `directory` is ours alone. */
  static async open(directory: string, launch: LaunchId): Promise<FirstUseChannel | undefined> {
    const answers = new Map<string, Answerer>();
    const socket = await LaunchSocket.open(directory, 'first-use', launch, (asker) => serve(asker, answers));
    return socket === undefined ? undefined : new FirstUseChannel(socket, answers);
  }

  get path(): string {
    return this.#socket.path;
  }

  on(question: string, answer: Answerer): void {
    this.#answers.set(question, answer);
  }

  close(): void {
    this.#socket.close();
  }
}

const serve = (asker: Socket, answers: ReadonlyMap<string, Answerer>): void => {
  let text = '';
  const take = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
    if (text.length > questionLimit) asker.destroy();
    const end = text.indexOf('\n');
    if (end < 0) return;
    asker.off('data', take).resume();
    void send(asker, answers.get(text.slice(0, end)));
  };
  asker.on('data', take);
};

const send = async (asker: Socket, answerer: Answerer | undefined): Promise<void> => {
  const answer = await answerer?.();
  if (answer === undefined || answer.length > answerLimit) asker.end();
  else asker.end(framed(answer));
};

const framed = (answer: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(answer.length);
  return Buffer.concat([length, answer]);
};
