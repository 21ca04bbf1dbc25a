import {readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {KeyvStoreAdapter, StoredData} from 'keyv';
import {atomicWrite} from '../system/atomic-write.js';
import {digest} from '../system/digest.js';

/** A stored answer is a few kB; a file beyond this is not one of ours and is not read into memory. */
const fileLimit = 8 * 1024 * 1024;

/** How old a temporary file must be before it is a left-over of a dead writer rather than one at work: an hour. */
const leftOverAge = 3_600_000;

/**
 * Keyv adapter on a directory: one file a key, replaced atomically, so that any number of processes may read and write
 * without a lock, and a writer that dies leaves the old answer. Keyv 5 hands a relative TTL; it is kept inside Keyv's own
 * envelope, so nothing here does clock arithmetic. What cannot be read counts as absent; what cannot be written (disk
 * full, read-only) throws, and the old answer stays.
 */
export class FileStore implements KeyvStoreAdapter {
  /** Keyv looks into these to find out what it deals with. */
  readonly opts = {dialect: 'bootcut-files', url: ''};
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  #path(key: string): string {
    return join(this.#directory, `${digest(key, 40)}.json`);
  }

  on(): this {
    return this; // Keyv subscribes to adapter errors; ours are thrown to the caller instead
  }

  // biome-ignore lint: Keyv's interface is asynchronous
  async get<Value>(key: string): Promise<StoredData<Value> | undefined> {
    return readKeyed(this.#path(key), key)?.text as StoredData<Value> | undefined;
  }

  async set(key: string, value: unknown): Promise<void> {
    atomicWrite(this.#path(key), JSON.stringify({key, text: value}));
  }

  async delete(key: string): Promise<boolean> {
    const path = this.#path(key);
    const existed = statSync(path, {throwIfNoEntry: false}) !== undefined;
    rmSync(path, {force: true});
    return existed;
  }

  async clear(): Promise<void> {
    for (const name of this.#names()) rmSync(join(this.#directory, name), {force: true});
  }

  /** Every stored key, in no order. */
  keys(): readonly string[] {
    return this.#names().flatMap((name) => readKeyed(join(this.#directory, name))?.key ?? []);
  }

  /** Removes temporary files that a killed writer left. */
  sweep(now: number): void {
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (!name.endsWith('.tmp')) continue;
      const stat = statSync(path, {throwIfNoEntry: false});
      if (stat !== undefined && now - stat.mtimeMs > leftOverAge) rmSync(path, {force: true});
    }
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#directory).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  }
}

/** Reads one file; undefined for anything that is not a file of ours for this key. */
const readKeyed = (path: string, key?: string): {readonly key: string; readonly text: unknown} | undefined => {
  try {
    const stat = statSync(path, {throwIfNoEntry: false});
    if (stat === undefined || !stat.isFile() || stat.size > fileLimit) return undefined;
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof stored !== 'object' || stored === null || !('key' in stored) || !('text' in stored)) return undefined;
    if (typeof stored.key !== 'string' || (key !== undefined && stored.key !== key)) return undefined;
    return {key: stored.key, text: stored.text};
  } catch {
    return undefined;
  }
};
