import {readFileSync} from 'node:fs';

/** Share of time (percent, of the last 10 s) that something has waited for memory, from which nothing is read ahead. */
const tooMuch = 5;

/** Why now is no time to fill memory with so many bytes, or undefined. What cannot be read speaks for nothing. */
export const memoryPressure = (bytes: number): string | undefined => {
  const available = Number(/^MemAvailable:\s+(\d+) kB$/m.exec(read('/proc/meminfo'))?.[1] ?? Number.NaN) * 1024;
  if (available < 4 * bytes) return `only ${Math.round(available / 1_048_576)} MiB of memory are free`;
  const waiting = Number(/^some avg10=([\d.]+)/m.exec(read('/proc/pressure/memory'))?.[1] ?? Number.NaN);
  return waiting > tooMuch ? `programs wait for memory ${waiting} % of the time` : undefined;
};

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
