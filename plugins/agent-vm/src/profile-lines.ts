import {type Milliseconds, ms, type ObservedLine} from 'bootcut/plugin';
import {plainText} from './stamp-lines.js';

type Part = 'create' | 'run' | 'stop' | 'remove';

/** Milliseconds per unit of Rust's way to show a duration; both signs for micro occur in copied text. */
const units: Readonly<Record<string, number>> = {ns: 1e-6, µs: 1e-3, μs: 1e-3, us: 1e-3, ms: 1, s: 1000};

const pattern = /^\[profile\] (create|run|stop|remove):\s+(\d+(?:\.\d+)?)(ns|µs|μs|us|ms|s)$/;

/** Reads one line of AGENT_VM_PROFILE; undefined for any other line. */
export const parseProfileLine = (text: string): {readonly part: Part; readonly duration: Milliseconds} | undefined => {
  const [, part, number, unit] = pattern.exec(plainText(text)) ?? [];
  const scale = units[unit ?? ''];
  if (part === undefined || scale === undefined) return undefined;
  return {part: part as Part, duration: ms(Number(number) * scale)};
};

/**
 * The durations agent-vm measured itself, where it was asked to (AGENT_VM_PROFILE), of the parts that are in `wanted`.
 * Hand in only lines that the guest cannot have written: `run` is printed where it could have, and the stamps tell it.
 */
export const profileDurations = <P extends Part>(
  lines: readonly ObservedLine[],
  wanted: readonly P[],
): Partial<Record<P, Milliseconds>> => {
  const found: Partial<Record<P, Milliseconds>> = {};
  for (const {text} of lines) {
    const line = parseProfileLine(text);
    const part = wanted.find((candidate) => candidate === line?.part);
    if (line !== undefined && part !== undefined) found[part] = line.duration;
  }
  return found;
};
