import {mkdirSync, renameSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {appendTo} from './append-to.js';
import {redact} from './redact.js';

/** One file and one predecessor: at most 2 MiB on disk. */
const sizeLimit = 1024 * 1024;

/** Writes one event. Never throws: a log that cannot be written is not worth a launch. */
export type Log = (event: string, facts?: Readonly<Record<string, unknown>>) => void;

/** JSON lines (`at`, `pid`, `event`, facts), rotated by size, with everything that looks like a secret taken out. */
export const openLog = (path: string): Log => {
  let directoryMade = false;
  return (event, facts = {}) => {
    try {
      if (!directoryMade) mkdirSync(dirname(path), {recursive: true, mode: 0o700});
      directoryMade = true;
      const line = redact(JSON.stringify({at: new Date().toISOString(), pid: process.pid, event, ...facts}));
      if ((statSync(path, {throwIfNoEntry: false})?.size ?? 0) > sizeLimit) renameSync(path, `${path}.1`);
      appendTo(path, `${line}\n`);
    } catch {
      // disk full, directory gone
    }
  };
};
