import type {Moment} from '../model/units.js';
import {lineLimit} from '../protocol/progress-codec.js';
import {systemClock} from '../system/clock.js';

/** Picks lines of interest out of a stream that passes by. */
export interface LinePicker {
  readonly see: (chunk: Buffer) => void;
  /** At the end of the stream: a last line may have no newline. */
  readonly flush: () => void;
}

/** Reports lines that begin with one of the prefixes, with the time their first byte came. */
export const pickLines = (
  prefixes: readonly string[],
  report: (line: {readonly at: Moment; readonly text: string}) => void,
): LinePicker => {
  let line = {at: systemClock.now(), bytes: [] as number[]};
  const flush = (): void => {
    const text = Buffer.from(line.bytes).toString('utf8');
    if (prefixes.some((prefix) => text.startsWith(prefix))) report({at: line.at, text});
  };
  const see = (chunk: Buffer): void => {
    const at = systemClock.now();
    for (const byte of chunk) {
      if (line.bytes.length === 0) line = {at, bytes: line.bytes};
      if (byte !== 0x0a) {
        if (line.bytes.length < lineLimit) line.bytes.push(byte);
        continue;
      }
      flush();
      line = {at, bytes: []};
    }
  };
  return {see, flush};
};
