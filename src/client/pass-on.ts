import type {Readable, Writable} from 'node:stream';

/** How long after the target's end and the last that came a stream is waited for, in milliseconds. */
const drainLimit = 50;

/** A stream of the target's that goes through us. */
export interface PassedOn {
  /** After the target's end: returns when everything it wrote has been passed on. */
  readonly drained: () => Promise<void>;
}

/**
 * Passes a stream of the target's on to ours, byte for byte and at once, and shows each chunk to `see`. Only used where
 * ours is no terminal, so that `isatty` says to the target what it would have said.
 */
export const passOn = (from: Readable, to: Writable, see: (chunk: Buffer) => void): PassedOn => {
  let [lastAt, isFull] = [performance.now(), false];
  from.on('data', (chunk: Buffer) => {
    lastAt = performance.now();
    see(chunk);
    if (to.write(chunk)) return;
    [isFull] = [true, from.pause()];
    to.once('drain', () => {
      isFull = false;
      lastAt = performance.now();
      from.resume();
    });
  });
  // Whoever reads ours has gone: then the target finds it gone too.
  to.on('error', () => from.destroy());
  const ended = new Promise<true>((resolve) => {
    from.once('close', () => resolve(true));
    from.once('end', () => resolve(true));
  });
  return {
    drained: async () => {
      // Something the target left behind may hold it open for ever; what the target had written has arrived by then.
      for (;;) {
        const left = isFull ? drainLimit : lastAt + drainLimit - performance.now();
        if (await Promise.race([ended, after(Math.max(1, left))])) return;
        if (!isFull && performance.now() - lastAt >= drainLimit) return;
      }
    },
  };
};

const after = (milliseconds: number): Promise<false> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, false));
