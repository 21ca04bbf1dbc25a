import type {Readable} from 'node:stream';
import type {Moment} from '../model/units.js';
import {lineLimit} from '../protocol/progress-codec.js';
import {systemClock} from '../system/clock.js';

/**
 * Passes the target's stderr on, byte for byte and at once, and reports lines that begin with one of the prefixes with the
 * time their first byte came. Only used where stderr is no terminal, so that `isatty` says to the target what it would
 * have said.
 */
export const tapStderr = (
  stream: Readable,
  prefixes: readonly string[],
  report: (line: {readonly at: Moment; readonly text: string}) => void,
): {readonly drained: () => Promise<void>} => {
  let line = {at: systemClock.now(), bytes: [] as number[]};
  const longest = lineLimit;
  const flush = (): void => {
    const text = Buffer.from(line.bytes).toString('utf8');
    if (prefixes.some((prefix) => text.startsWith(prefix))) report({at: line.at, text});
  };
  stream.on('data', (chunk: Buffer) => {
    const at = systemClock.now();
    if (!process.stderr.write(chunk)) {
      stream.pause();
      process.stderr.once('drain', () => stream.resume());
    }
    for (const byte of chunk) {
      if (line.bytes.length === 0) line = {at, bytes: line.bytes};
      if (byte !== 0x0a) {
        if (line.bytes.length < longest) line.bytes.push(byte);
        continue;
      }
      flush();
      line = {at, bytes: []};
    }
  });
  // Whoever reads our stderr has gone: then the target finds it gone too.
  process.stderr.on('error', () => stream.destroy());
  const ended = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.once('end', resolve);
  });
  return {
    drained: async () => {
      // Something the target left behind may hold its stderr open for ever; what it had written has arrived by then.
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, drainLimit))]);
      flush();
    },
  };
};

/** How long after the target's end its stderr is waited for, in milliseconds. */
const drainLimit = 50;
