import {mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {KeyvStoreAdapter, StoredData} from 'keyv';
import {atomicWrite} from '../system/atomic-write.js';
import {digest} from '../system/digest.js';

/** A stored answer is a few kB; a file beyond this is not one of ours and is not read into memory. */
const fileLimit = 8 * 1024 * 1024;

/** Most answers kept: each change of what an answer depends on makes a new key, and the old one is never asked for again. */
const countLimit = 2000;

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
    const text = JSON.stringify({key, text: value});
    if (Buffer.byteLength(text) > fileLimit) throw new Error('the answer is too long to be stored');
    const path = this.#path(key);
    try {
      atomicWrite(path, text);
    } catch (error) {
      if (!clearWay(path, (error as NodeJS.ErrnoException).code)) throw error;
      atomicWrite(path, text);
    }
  }

  async delete(key: string): Promise<boolean> {
    const path = this.#path(key);
    return statSync(path, {throwIfNoEntry: false}) !== undefined && remove(path);
  }

  async clear(): Promise<void> {
    for (const name of this.#names()) remove(join(this.#directory, name));
  }

  /** Every stored key, in no order. */
  keys(): readonly string[] {
    return this.#names().flatMap((name) => readKeyed(join(this.#directory, name))?.key ?? []);
  }

  /** Removes temporary files that a killed writer left, and the answers written longest ago when there are too many. */
  sweep(now: number): void {
    for (const name of this.#names('.tmp')) {
      const path = join(this.#directory, name);
      if (now - writtenAt(path) > leftOverAge) remove(path);
    }
    const answers = this.#names().map((name) => join(this.#directory, name));
    if (answers.length <= countLimit) return;
    const byAge = answers.map((path) => ({path, at: writtenAt(path)})).sort((a, b) => a.at - b.at);
    for (const {path} of byAge.slice(0, answers.length - countLimit)) remove(path);
  }

  #names(ending = '.json'): readonly string[] {
    try {
      return readdirSync(this.#directory).filter((name) => name.endsWith(ending));
    } catch {
      return [];
    }
  }
}

/** When a file was written; one that cannot be looked at counts as new. */
const writtenAt = (path: string): number => {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

/** Did it work? A directory that stands where a file should be, or a file we may not remove, stays. */
const remove = (path: string): boolean => {
  try {
    rmSync(path, {force: true});
    return true;
  } catch {
    return false;
  }
};

/** Makes what a write that failed with `code` was missing: our directory, or a place that an empty directory takes. */
const clearWay = (path: string, code: string | undefined): boolean => {
  try {
    if (code === 'ENOENT') mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    else if (code === 'EISDIR') rmdirSync(path);
    else return false;
    return true;
  } catch {
    return false;
  }
};

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
