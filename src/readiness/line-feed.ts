import {StringDecoder} from 'node:string_decoder';
import type {Moment} from '../model/units.js';
import {systemClock} from '../system/clock.js';

/** Told of the text of a line so far, whenever it grows, and once more when it is whole. */
export type LineListener = (line: string, isWhole: boolean, at: Moment) => void;

/** How much of an endless line is looked at: the end of it, in characters. A pattern longer than this is not found. */
const window = 16_384;

/** Whole lines kept for the message when a launch fails. Chimera's launcher kept 80 too. */
const keptLines = 80;

/** Colours and other control sequences; and the beginning of one at the very end, whose rest has not come yet. */
const sequences = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
const unfinished = /\u001b(?:\[[0-9;:?]*[ -/]*|\][^\u0007\u001b]{0,200})?$/;

/**
 * A stream of bytes as lines for people: cut anywhere by the reads, in colour, ended by a newline, a carriage return, or
 * not at all. Holds no more than the end of one line and the last few lines.
 */
export class LineFeed {
  readonly #decoder = new StringDecoder('utf8');
  readonly #listeners = new Set<LineListener>();
  readonly #last: string[] = [];
  #line = '';
  #held = '';
  /** Every byte so far, for 'the output stopped changing'. */
  #changedAt: Moment | undefined;
  #bytes = 0;

  /** Bytes as they come. */
  push(chunk: Buffer): void {
    const at = systemClock.now();
    if (chunk.length > 0) this.#changedAt = at;
    this.#bytes += chunk.length;
    const text = this.#held + this.#decoder.write(chunk);
    const cut = unfinished.exec(text)?.index ?? text.length;
    this.#held = text.slice(cut);
    const pieces = text
      .slice(0, cut)
      .replace(sequences, '')
      .split(/\r\n|\n|\r/);
    pieces.forEach((piece, index) => {
      const isWhole = index < pieces.length - 1;
      if (piece === '' && !isWhole) return;
      this.#line = (this.#line + piece).slice(-window);
      for (const listener of this.#listeners) listener(this.#line, isWhole, at);
      if (isWhole) this.#finishLine();
    });
  }

  on(listener: LineListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The last lines, the unfinished one among them. */
  last(count = keptLines): readonly string[] {
    return [...this.#last, ...(this.#line === '' ? [] : [this.#line])].slice(-count);
  }

  get changedAt(): Moment | undefined {
    return this.#changedAt;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #finishLine(): void {
    if (this.#line.trim() !== '') this.#last.push(this.#line);
    if (this.#last.length > keptLines) this.#last.shift();
    this.#line = '';
  }
}

/** A pattern with `$` must see the whole line: the rest of it might still come. */
export const matchesLine = (pattern: RegExp, line: string, isWhole: boolean): boolean =>
  (isWhole || !/(?<!\\)\$/.test(pattern.source)) && pattern.test(line);
