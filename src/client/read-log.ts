import {closeSync, constants, fstatSync, mkdirSync, openSync, readSync, statSync, watch} from 'node:fs';
import {basename, dirname} from 'node:path';
import {StringDecoder} from 'node:string_decoder';
import {linesBackwards} from '../record/lines-backwards.js';

/** One event of a log: `at`, `pid`, `event` and what belongs to it. A line that is no event is kept as `{text}`. */
export type LogEvent = Readonly<Record<string, unknown>>;

/** The newest events of a log and its predecessor, oldest first. A log that is not there has none. */
export const readLog = (path: string, count: number): readonly LogEvent[] => {
  const newest: string[] = [];
  for (const file of [path, `${path}.1`]) {
    for (const line of linesBackwards(file)) {
      if (newest.length >= count) break;
      newest.push(line);
    }
  }
  return newest.reverse().map(parseEvent);
};

const parseEvent = (line: string): LogEvent => {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) return event as LogEvent;
  } catch {
    // cut off by a full disk or a crash
  }
  return {text: line};
};

/**
 * Hands on every event written from now on, until the signal aborts. The file system tells when there is something to
 * read; a log that is rotated, removed or not there yet is followed to its successor.
 */
export const followLog = async (path: string, tell: (event: LogEvent) => void, signal: AbortSignal): Promise<void> => {
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  const tail = new Tail(path);
  const watcher = watch(dirname(path), (_, name) => {
    if (name === null || name === basename(path)) for (const line of tail.read()) tell(parseEvent(line));
  });
  try {
    await new Promise<void>((resolve, reject) => {
      watcher.once('error', reject);
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), {once: true});
    });
  } finally {
    watcher.close();
  }
};

/** Where reading has got to in a file that grows, and may be replaced. */
class Tail {
  readonly #path: string;
  #inode: bigint | undefined;
  #position = 0;
  #decoder = new StringDecoder('utf8');
  #rest = '';

  /** Begins at the present end. */
  constructor(path: string) {
    this.#path = path;
    const stat = statSync(path, {bigint: true, throwIfNoEntry: false});
    this.#inode = stat?.ino;
    this.#position = Number(stat?.size ?? 0);
  }

  /** The whole lines that have come since the last call. */
  read(): readonly string[] {
    let descriptor: number;
    try {
      descriptor = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK); // never held by a pipe
    } catch {
      return []; // between a rotation and the next event
    }
    try {
      const {ino, size} = fstatSync(descriptor, {bigint: true});
      if (ino !== this.#inode || Number(size) < this.#position) this.#startAgain(ino);
      const buffer = Buffer.alloc(Number(size) - this.#position);
      this.#position += readSync(descriptor, buffer, 0, buffer.length, this.#position);
      const lines = (this.#rest + this.#decoder.write(buffer)).split('\n');
      this.#rest = lines.pop() ?? '';
      return lines.filter((line) => line !== '');
    } finally {
      closeSync(descriptor);
    }
  }

  #startAgain(inode: bigint): void {
    this.#inode = inode;
    this.#position = 0;
    this.#decoder = new StringDecoder('utf8');
    this.#rest = '';
  }
}
