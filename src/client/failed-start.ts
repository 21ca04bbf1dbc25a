import {join} from 'node:path';
import type {FailedStart} from '../model/failure.js';
import {readPlainFile} from '../system/soft-reads.js';

/** One line; more is not ours. */
const fileLimit = 65_536;

/** What the last daemon that did not come up has left word of; undefined where none did, or nobody can tell. */
export const readFailedStart = (state: string): FailedStart | undefined => {
  try {
    const note = JSON.parse(
      readPlainFile(join(state, 'daemon-failed.json'), fileLimit) ?? '',
    ) as Partial<FailedStart> | null;
    return typeof note?.at === 'number' && typeof note.detail === 'string'
      ? {at: note.at, detail: note.detail}
      : undefined;
  } catch {
    return undefined;
  }
};
