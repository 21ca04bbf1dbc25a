import {writeSync} from 'node:fs';

/** stderr, at once and in order: the native one writes unbuffered. `text` gets its newline here unless it is empty. */
export function say(text) {
  if (text !== '') writeAll(2, text.endsWith('\n') ? text : `${text}\n`);
}

export function printOut(text) {
  writeAll(1, text);
}

/** Writes all bytes, as a blocking descriptor would; a reader that left is nobody's fault. */
export function writeAll(descriptor, data) {
  let rest = typeof data === 'string' ? Buffer.from(data) : data;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
}

/** An error with causes, printed as anyhow prints a returned error: causes are numbered only when there are several. */
export class LaunchError extends Error {
  constructor(message, ...causes) {
    super(message);
    this.causes = causes;
  }
}

export function errorText(error) {
  const causes = error instanceof LaunchError ? error.causes : [];
  if (causes.length === 0) return `Error: ${error.message}\n`;
  const lines = causes.map((cause, index) => (causes.length === 1 ? `    ${cause}` : `    ${index}: ${cause}`));
  return `Error: ${error.message}\n\nCaused by:\n${lines.join('\n')}\n`;
}

/** Rust's `{:?}` of a Duration: the largest unit that leaves a whole part, nine digits at most, zeros trimmed. */
export function rustDuration(milliseconds) {
  const nanoseconds = BigInt(Math.round(milliseconds * 1e6));
  const [unit, scale] =
    nanoseconds >= 1_000_000_000n
      ? ['s', 1_000_000_000n]
      : nanoseconds >= 1_000_000n
        ? ['ms', 1_000_000n]
        : nanoseconds >= 1_000n
          ? ['µs', 1_000n]
          : ['ns', 1n];
  const digits = String(scale).length - 1;
  const fraction = String(nanoseconds % scale)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return `${nanoseconds / scale}${digits > 0 && fraction !== '' ? `.${fraction}` : ''}${unit}`;
}

/** Rust's `{:?}` of a string, near enough for the messages that quote an argument. */
export const rustQuoted = (text) => JSON.stringify(text);
