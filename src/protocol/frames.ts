/**
 * Frames on the socket: four bytes length (big endian, of what follows), one byte type, payload. A length is checked
 * before any byte of the payload is kept, so a peer that talks nonsense costs at most one header.
 */

/** Longest frame, type byte included: Linux hands a program at most 2 MiB of arguments and environment, plus framing. */
export const frameLimit = 4 * 1024 * 1024;

/** What is reserved for a frame before its bytes come: the usual request fits. */
const firstReserve = 65_536;

export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

/** One frame as bytes. */
export const encodeFrame = (type: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
  const frame = Buffer.allocUnsafe(5 + payload.length);
  frame.writeUInt32BE(payload.length + 1, 0);
  frame[4] = type;
  frame.set(payload, 5);
  return frame;
};

/** What came of a chunk: the frames completed by it, or the reason to drop the peer. */
export type FrameChunk =
  | {readonly ok: true; readonly frames: readonly Frame[]}
  | {readonly ok: false; readonly reason: string};

/** Puts chunks of any size together to frames, on bytes (never on text, which a chunk may cut in a character). */
export class FrameReader {
  readonly #header = Buffer.alloc(4);
  #headerFilled = 0;
  /** Length of the frame under way; 0 while its header is. */
  #length = 0;
  #body = Buffer.alloc(0);
  #bodyFilled = 0;

  push(chunk: Uint8Array): FrameChunk {
    const frames: Frame[] = [];
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#length === 0) {
        const taken = chunk.subarray(offset, offset + 4 - this.#headerFilled);
        this.#header.set(taken, this.#headerFilled);
        this.#headerFilled += taken.length;
        offset += taken.length;
        if (this.#headerFilled < 4) break;
        const length = this.#header.readUInt32BE(0);
        if (length === 0 || length > frameLimit) return {ok: false, reason: `a frame of ${length} bytes`};
        this.#length = length;
        this.#body = Buffer.allocUnsafe(Math.min(length, firstReserve));
        this.#bodyFilled = 0;
      }
      const taken = chunk.subarray(offset, offset + this.#length - this.#bodyFilled);
      this.#keep(taken);
      offset += taken.length;
      if (this.#bodyFilled < this.#length) break;
      frames.push({type: this.#body[0] ?? 0, payload: this.#body.subarray(1, this.#length)});
      this.#length = 0;
      this.#headerFilled = 0;
    }
    return {ok: true, frames};
  }

  /** Memory grows with what has come, not with what was promised. */
  #keep(bytes: Uint8Array): void {
    const filled = this.#bodyFilled + bytes.length;
    if (filled > this.#body.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#length, Math.max(filled, 2 * this.#body.length)));
      larger.set(this.#body.subarray(0, this.#bodyFilled));
      this.#body = larger;
    }
    this.#body.set(bytes, this.#bodyFilled);
    this.#bodyFilled = filled;
  }
}
