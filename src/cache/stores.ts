import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {Keyv, type KeyvStoreAdapter} from 'keyv';
import type {FileStore} from './file-store.js';
import {SharedStore} from './shared-store.js';

/** Where answers are kept: always a private store of this user, and perhaps one shared with a team. */
export interface Stores {
  readonly own: Keyv;
  /** Keys of the private store (Keyv itself only lists the stores it knows). */
  readonly keys: () => readonly string[];
  readonly shared: SharedStore | undefined;
  /** Why a configured shared store is not in use. */
  readonly complaint: string | undefined;
  readonly close: () => Promise<void>;
}

/** Which package serves a scheme; any other scheme is tried as `@keyv/<scheme>`. */
const storePackages: Readonly<Record<string, string>> = {
  redis: '@keyv/redis',
  rediss: '@keyv/redis',
  postgresql: '@keyv/postgres',
  mongodb: '@keyv/mongo',
};

/** Opens the stores. A shared store that cannot be had is named in `complaint`, never an error. */
export const openStores = async (directory: string | undefined, uri: string | undefined): Promise<Stores> => {
  const files = directory === undefined ? undefined : await fileStore(directory);
  const memory = new Map<string, unknown>();
  const own = new Keyv({store: files ?? memory});
  own.on('error', () => undefined);
  const ownPart = {own, keys: () => files?.keys() ?? [...memory.keys()]};
  if (uri === undefined) return {...ownPart, shared: undefined, complaint: undefined, close: async () => undefined};
  const opened = await openShared(uri);
  if (typeof opened === 'string')
    return {...ownPart, shared: undefined, complaint: opened, close: async () => undefined};
  return {...ownPart, shared: opened, complaint: undefined, close: async () => await opened.close()};
};

/**
 * Loaded only where there is a directory, so that a launch without one does not pay for it. A directory that cannot be
 * used after all (a file is in its place, the disk is full) leaves the answers in memory.
 */
const fileStore = async (directory: string): Promise<FileStore | undefined> => {
  const {FileStore: Store} = await import('./file-store.js');
  const path = join(directory, 'answers');
  try {
    mkdirSync(path, {recursive: true, mode: 0o700});
  } catch {
    return undefined;
  }
  const store = new Store(path);
  store.sweep(Date.now());
  return store;
};

const openShared = async (uri: string): Promise<SharedStore | string> => {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'the setting cache.store is not a URI such as redis://host:6379';
  const name = storePackages[scheme] ?? `@keyv/${scheme}`;
  try {
    const loaded = (await import(name)) as {readonly default: new (uri: string, options?: object) => KeyvStoreAdapter};
    const open = (): Keyv => {
      const store = new loaded.default(uri, {throwOnConnectError: true, throwOnErrors: true});
      return new Keyv({store, namespace: 'bootcut', throwOnErrors: true});
    };
    open(); // a URI that makes no sense shows now; it connects at the first use
    return new SharedStore(open);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    return missing ? `${name} is not installed; npm install -g ${name}` : `${name} cannot be used`;
  }
};
