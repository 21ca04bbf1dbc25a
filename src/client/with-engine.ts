import {join} from 'node:path';
import type {Directories} from '../config/directories.js';
import {createEngine, type OwnedEngine} from '../launch/create-engine.js';
import {openLog} from '../system/log-file.js';

/** Does some work on an engine in this process, without the daemon, and ends its threads and connections. */
export const withEngine = async <T>(directories: Directories, work: (owned: OwnedEngine) => Promise<T>): Promise<T> => {
  const {state} = directories;
  const owned = await createEngine(
    directories,
    state === undefined ? () => undefined : openLog(join(state, 'log', 'launches.log')),
  );
  try {
    return await work(owned);
  } finally {
    await owned.close();
  }
};
