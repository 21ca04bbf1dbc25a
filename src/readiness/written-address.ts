import {readFileSync} from 'node:fs';
import {resolve as resolvePath} from 'node:path';
import type {FromFile} from './condition.js';
import {fileState, isSame, onFileChange} from './file-changes.js';

/** Longer is no address, in bytes. */
const longest = 2048;

/**
 * The address that the target writes to a file: a port, or a whole URL, with nothing else around it. Half a URL is none,
 * and what a run before has left there is not the target's.
 */
export const watchWrittenAddress = (
  source: FromFile,
  cwd: string,
): {
  readonly address: (signal: AbortSignal) => Promise<string>;
  readonly seen: () => string;
} => {
  const path = resolvePath(cwd, source.file);
  const before = fileState(path);
  let seen = '';
  return {
    address: (signal) =>
      new Promise((resolve) => {
        const look = (): boolean => {
          const state = fileState(path);
          if (state === undefined || isSame(state, before)) return false;
          const text = contentOf(path);
          seen = text.slice(0, 80);
          const url = asUrl(text);
          if (url !== undefined) resolve(url);
          return url !== undefined;
        };
        onFileChange(path, look, signal);
      }),
    seen: () => {
      if (fileState(path) === undefined) return `${path} does not exist`;
      if (isSame(fileState(path), before)) return `${path} was there before the start and has not changed since`;
      return `${path} holds no port and no URL: '${seen}'`;
    },
  };
};

const contentOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').slice(0, longest).trim();
  } catch {
    return '';
  }
};

/** A port as a URL of this machine. A URL is whole when its port is there. */
const asUrl = (text: string): string | undefined => {
  if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536) return `http://localhost:${text}`;
  return /^https?:\/\/[^\s/:]+:\d{2,5}(?:\/\S*)?$/.test(text) && URL.canParse(text) ? text : undefined;
};
