import {dirname, join} from 'node:path';
import {AnswerCache} from '../cache/answer-cache.js';
import {openStores} from '../cache/stores.js';
import type {Directories} from '../config/directories.js';
import {readSettings, textSetting} from '../config/settings.js';
import {RecordLog} from '../record/record-log.js';
import {Ledger} from '../savings/ledger.js';
import {systemClock} from '../system/clock.js';
import type {Log} from '../system/log-file.js';
import {type LockScope, lockScope} from '../system/process-lock.js';
import {Engine} from './engine.js';
import {PluginSet} from './plugin-set.js';
import {Preparations} from './preparations.js';
import type {EngineParts} from './prepare.js';

/** An engine with everything it holds. */
export interface OwnedEngine {
  readonly engine: Engine;
  readonly plugins: PluginSet;
  readonly records: RecordLog | undefined;
  /** Why a configured shared store is not in use. */
  readonly storeComplaint: string | undefined;
  readonly close: () => Promise<void>;
}

/** Puts an engine together for one user's directories. Missing directories cost what would be kept there, nothing else. */
export const createEngine = async (
  directories: Directories,
  log: Log,
  daemons?: Pick<EngineParts, 'onUse' | 'standbys' | 'turn'>,
): Promise<OwnedEngine> => {
  const uri = textSetting(readSettings(directories.config).values, 'cache.store');
  const stores = await openStores(directories.cache, uri === '' ? undefined : uri);
  const cache = new AnswerCache(
    stores,
    systemClock,
    directories.state === undefined ? undefined : locksOf(directories.state),
  );
  const plugins = new PluginSet(directories.data, log);
  const records = directories.state === undefined ? undefined : new RecordLog(join(directories.state, 'records'));
  const parts = {
    plugins,
    cache,
    clock: systemClock,
    configDirectory: directories.config,
    complaint: directories.complaint,
    socketDirectory: directories.socket === undefined ? undefined : dirname(directories.socket),
    stateDirectory: directories.state,
    told: new Map<string, number>(),
    ...optimizationsFor(directories, log, daemons !== undefined),
    ...daemons,
  };
  const engine = new Engine(parts, records, log);
  return {
    engine,
    plugins,
    records,
    storeComplaint: stores.complaint,
    close: async () => {
      engine.close();
      await plugins.close();
      await stores.close();
    },
  };
};

const optimizationsFor = (
  {cache, state}: Directories,
  log: Log,
  prepares: boolean,
): Pick<EngineParts, 'optimizations'> => {
  if (cache === undefined || state === undefined) return {};
  const directory = join(cache, 'optimizations');
  const ledger = new Ledger(join(state, 'savings'));
  const parts = {ledger, directory};
  if (!prepares) return {optimizations: parts};
  return {optimizations: {...parts, preparations: new Preparations({...parts, clock: systemClock, log})}};
};

const locksOf = (directory: string): LockScope | undefined => {
  try {
    return lockScope(directory);
  } catch {
    return undefined;
  }
};
