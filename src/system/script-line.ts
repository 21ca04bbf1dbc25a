import {closeSync, openSync, readSync, statSync} from 'node:fs';
import {safeFileIdentity} from './file-identity.js';

/** Scripts that are remembered; a user has a hundred. */
const most = 1000;

const known = new Map<string, {readonly identity: string; readonly line: string | undefined}>();

/**
 * The first line of a script, `#!` included, of its first 256 bytes; undefined for anything else. Read once for as long as
 * the file stays what it is.
 */
export const scriptLine = (path: string): string | undefined => {
  const identity = safeFileIdentity(path);
  const old = known.get(path);
  if (old?.identity === identity) return old.line;
  const line = readScriptLine(path);
  if (known.size >= most) known.clear();
  known.set(path, {identity, line});
  return line;
};

const readScriptLine = (path: string): string | undefined => {
  try {
    if (!statSync(path).isFile()) return undefined; // what is in a pipe is meant for somebody else
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(256);
      const text = head.toString('latin1', 0, readSync(file, head, 0, head.length, 0));
      return text.startsWith('#!') ? text.split('\n')[0]?.trimEnd() : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
};
