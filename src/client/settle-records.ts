import type {Directories} from '../config/directories.js';
import {askDaemon} from '../protocol/ask.js';

/** What a reader gives the daemon to write down what has ended, in milliseconds for each word of it; records are the same without. */
const patience = 250;

/**
 * A launch's front leaves without waiting until its launch is on record. Readers of records call this first: afterwards
 * every launch that had ended before is there. A daemon that is absent, wedged or of another build costs only that. Starts none.
 */
export const settleRecords = async ({socket}: Directories): Promise<void> => {
  if (socket !== undefined) await askDaemon(socket, {kind: 'settle'}, {limit: patience});
};
