import {readdirSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {contentIdentity} from './content-identity.js';
import {archiveNotePath, archivePath} from './names.js';
import {orUndefined} from './remember-files.js';
import {field, isTexts, jsonFile, storeFile, touch} from './store-file.js';
import type {Application, ContentFile} from './types.js';

/** What is kept beside an archive. */
interface ArchiveNote {
  /** Of the archive when it was made: one that anybody has written to since is not given to a JVM, which would crash. */
  readonly identity: string;
  readonly bytes: number;
  /** What it was made from. When something of it has changed, nothing will ask for it any more. */
  readonly content: readonly ContentFile[];
}

const isContent = (value: unknown): value is readonly ContentFile[] =>
  Array.isArray(value) && value.every((item) => isTexts(item) && item.length === 2);

const readNote = jsonFile((value): ArchiveNote | undefined => {
  const [identity, bytes, content] = [field(value, 'identity'), field(value, 'bytes'), field(value, 'content')];
  return typeof identity === 'string' && typeof bytes === 'number' && isContent(content)
    ? {identity, bytes, content}
    : undefined;
});

/** An archive that may be used. */
export interface Archive {
  readonly path: string;
  readonly bytes: number;
  readonly identity: string;
}

/** The archive of a program, if there is one and it is as it was when it was made. */
export const findArchive = (directory: string, key: string): Archive | undefined => {
  const note = readNote(archiveNotePath(directory, key));
  const path = archivePath(directory, key);
  if (note === undefined || contentIdentity(path) !== note.identity) return undefined;
  return {path, bytes: note.bytes, identity: note.identity};
};

/** Notes that an archive is in use, for {@link sweepArchives}. */
export const noteUse = (directory: string, key: string): void => touch(archiveNotePath(directory, key));

/** Notes what the archive at its place has been made from. */
export const keepArchive = (directory: string, {key, content, jvm}: Application): Archive => {
  const path = archivePath(directory, key);
  const identity = contentIdentity(path);
  const note: ArchiveNote = {
    identity,
    bytes: statSync(path).size,
    content: [[jvm.executable, contentIdentity(jvm.executable)], ...content],
  };
  storeFile(archiveNotePath(directory, key), JSON.stringify(note));
  return {path, bytes: note.bytes, identity};
};

/** How much is kept at most: an archive has 10 to 100 MB. */
const limits = {archives: 24, bytes: 1 << 30};

/** Files without a note are being made, or were left behind by a process that was ended: for so long, milliseconds. */
const abandonedAfter = 3_600_000;

/** Removes what nothing will ask for any more, and beyond the limits what has not been used for longest; never `kept`. */
export const sweepArchives = (directory: string, kept: string, {archives, bytes} = limits): void => {
  const folder = join(directory, 'archives');
  const names = orUndefined(() => readdirSync(folder)) ?? [];
  const keys = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  const noted = keys.map((key) => ({
    key,
    note: readNote(archiveNotePath(directory, key)),
    usedAt: lastUse(directory, key),
  }));
  let [count, sum] = [0, 0];
  for (const {key, note} of noted.sort(
    (a, b) => Number(b.key === kept) - Number(a.key === kept) || b.usedAt - a.usedAt,
  )) {
    [count, sum] = [count + 1, sum + (note?.bytes ?? 0)];
    const isWanted = note !== undefined && count <= archives && sum <= bytes && note.content.every(isAsItWas);
    if (key === kept || isWanted) continue;
    [count, sum] = [count - 1, sum - (note?.bytes ?? 0)];
    for (const path of [archiveNotePath(directory, key), archivePath(directory, key)]) rmSync(path, {force: true});
  }
  for (const name of names.filter((other) => !keys.includes(other.replace(/\.jsa$|\.json$/, '')))) {
    const path = join(folder, name);
    const age = Date.now() - (orUndefined(() => statSync(path).mtimeMs) ?? 0);
    if (age > abandonedAfter) rmSync(path, {force: true});
  }
};

const lastUse = (directory: string, key: string): number =>
  orUndefined(() => statSync(archiveNotePath(directory, key)).mtimeMs) ?? 0;

const isAsItWas = ([path, identity]: ContentFile): boolean => contentIdentity(path) === identity;
