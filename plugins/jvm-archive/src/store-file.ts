import {randomBytes} from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {orUndefined, rememberFiles} from './remember-files.js';

/** A name beside `path` that no other writer has. */
export const temporaryName = (path: string): string => `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;

/** Writes whole or not at all: whoever reads at the same time sees the old text or the new one. */
export const storeFile = (path: string, text: string, mode = 0o600): void => {
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  const temporary = temporaryName(path);
  const file = openSync(temporary, 'wx', mode);
  try {
    try {
      fchmodSync(file, mode);
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, {force: true});
    throw error;
  }
};

/** Reads what {@link storeFile} wrote, as long as `check` finds that it is what it should be. Anything else is undefined. */
export const jsonFile = <Value>(check: (stored: unknown) => Value | undefined): ((path: string) => Value | undefined) =>
  rememberFiles((path) => check(JSON.parse(readFileSync(path, 'utf8')) as unknown));

/** A field of something that was read and may be anything. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** How exactly it is known when something was used last, milliseconds. */
const usedAccuracy = 3_600_000;

/** Notes that something is in use, for the sweeps: by its time of change, once an hour. */
export const touch = (path: string): void => {
  orUndefined(() => {
    const now = Date.now();
    if (Math.abs(now - statSync(path).mtimeMs) > usedAccuracy) utimesSync(path, now / 1000, now / 1000);
  });
};
