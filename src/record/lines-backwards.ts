import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';

/** Bytes of the longest line that is read; one launch is a few kB. */
export const lineLimit = 1024 * 1024;

/** Bytes read at a time: several launches, and one read for the newest. */
const blockBytes = 65_536;

const lineFeed = 0x0a;

/**
 * Lines of a file from the last to the first, empty ones and those beyond the limit left out; the last one need not be
 * ended. A file that cannot be read has no lines (any more); a link is not followed, and a pipe does not
 * hold us.
 */
export function* linesBackwards(path: string): Generator<string> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    yield* linesOf(descriptor);
  } catch {
    // Gone, unreadable, or no file at all: it costs only its own lines.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function* linesOf(descriptor: number): Generator<string> {
  /** The part of the line that has been read, which is its end. */
  let line = new Line();
  for (let position = fstatSync(descriptor).size; position > 0; ) {
    const block = readBlock(descriptor, Math.max(0, position - blockBytes), position);
    position -= block.length;
    let end = block.length;
    while (end > 0) {
      const at = block.lastIndexOf(lineFeed, end - 1);
      line.prepend(block.subarray(at + 1, end));
      if (at < 0) break;
      if (line.isWanted) yield line.text;
      line = new Line();
      end = at;
    }
  }
  if (line.isWanted) yield line.text;
}

/** Bytes of a line as they turn up from its end; beyond the limit they are dropped, not kept. */
class Line {
  #pieces: Buffer[] = [];
  #length = 0;

  prepend(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > lineLimit) this.#pieces = [];
    else this.#pieces.unshift(piece);
  }

  get isWanted(): boolean {
    return this.#length > 0 && this.#length <= lineLimit;
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }
}

const readBlock = (descriptor: number, from: number, to: number): Buffer => {
  const block = Buffer.alloc(to - from);
  for (let filled = 0; filled < block.length; ) {
    const count = readSync(descriptor, block, filled, block.length - filled, from + filled);
    if (count === 0) throw new Error('the file became shorter');
    filled += count;
  }
  return block;
};
