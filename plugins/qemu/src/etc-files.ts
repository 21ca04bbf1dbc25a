import {createHash} from 'node:crypto';
import {lstatSync, readdirSync, readFileSync, readlinkSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {isWantedOfEtc, leadsToWanted} from './etc-names.js';

/** One entry of the guest's /etc, by its path below it. */
export type EtcEntry =
  | {readonly kind: 'directory' | 'file'; readonly path: string}
  | {readonly kind: 'link'; readonly path: string; readonly target: string};

/** Deepest directory that is looked into: `python3.11/…` and `fonts/conf.d/…` lie within. */
const depth = 6;

/** Everything that guests get of the host's /etc. */
export const etcEntries = (root: string): readonly EtcEntry[] => look(root).entries;

/** What was seen the last time: a name comes or goes, or a link changes, only with its directory. */
interface Seen {
  readonly root: string;
  readonly entries: readonly EtcEntry[];
  /** Directories that were entered, the root among them, and what they were. */
  readonly directories: readonly (readonly [path: string, identity: string])[];
  readonly files: readonly string[];
  readonly digest: string;
}

let seen: Seen | undefined;

/**
 * A text that is another one when anything of the guest's /etc is: new names, changed links, files written to in place.
 * It runs at every launch, so what was seen before is only compared: a `stat` for each directory and file, about 200.
 */
export const etcIdentity = (root: string): string => {
  const {digest, files} = look(root);
  const hash = createHash('sha256').update(digest);
  for (const path of files) hash.update(identityAt(path)).update('\n');
  return hash.digest('hex');
};

const look = (root: string): Seen => {
  const isSame = seen?.root === root && seen.directories.every(([path, identity]) => identityAt(path) === identity);
  if (seen !== undefined && isSame) return seen;
  const directories: [string, string][] = [];
  const entries = walk(root, '', depth, directories);
  const files = entries.flatMap(({kind, path}) => (kind === 'file' ? [join(root, path)] : []));
  seen = {root, entries, directories, files, digest: JSON.stringify(entries)};
  return seen;
};

const walk = (root: string, below: string, left: number, directories: [string, string][]): readonly EtcEntry[] => {
  if (left === 0) return [];
  const here = join(root, below);
  directories.push([here, identityAt(here)]);
  return names(here).flatMap((name): readonly EtcEntry[] => {
    const path = below === '' ? name : `${below}/${name}`;
    const isWanted = isWantedOfEtc(path);
    if (!isWanted && !leadsToWanted(path)) return [];
    const stat = lstatSync(join(root, path), {throwIfNoEntry: false});
    if (stat === undefined) return [];
    if (stat.isDirectory()) return [{kind: 'directory', path}, ...walk(root, path, left - 1, directories)];
    if (!isWanted) return [];
    if (stat.isSymbolicLink()) return [{kind: 'link', path, target: readlinkSync(join(root, path))}];
    return stat.isFile() ? [{kind: 'file', path}] : [];
  });
};

const names = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory).sort();
  } catch {
    return []; // not for us to read, or gone since
  }
};

const identityAt = (path: string): string => {
  const stat = lstatSync(path, {throwIfNoEntry: false});
  return stat === undefined ? 'absent' : identityOf(stat);
};

/** The mode as well: a file that is closed to others is not copied any more. */
const identityOf = ({ino, mode, size, mtimeMs, ctimeMs}: Stats): string =>
  [ino, mode, size, mtimeMs, ctimeMs].join(':');

/** Largest file that is copied: certificates come in bundles of a few hundred kilobytes. */
const sizeLimit = 4 * 1024 * 1024;

/**
 * A file's bytes, or undefined when it is not for guests: it holds a private key, not everybody on the host may read it
 * (which has a reason), or it is too large to be configuration.
 */
export const harmlessContent = (path: string): Buffer | undefined => {
  try {
    const {mode, size} = lstatSync(path);
    if (size > sizeLimit || (mode & 0o004) === 0) return undefined;
    const content = readFileSync(path);
    return content.includes('PRIVATE KEY-----') ? undefined : content;
  } catch {
    return undefined;
  }
};
