import {lstatSync, readdirSync, readFileSync, readlinkSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {isWantedOfEtc, leadsToWanted} from './etc-names.js';

/** One entry of the guest's /etc, by its path below it. */
export type EtcEntry =
  | {readonly kind: 'directory' | 'file'; readonly path: string; readonly identity: string}
  | {readonly kind: 'link'; readonly path: string; readonly target: string};

/** Deepest directory that is looked into: `python3.11/…` and `fonts/conf.d/…` lie within. */
const depth = 6;

/** Everything that guests get of the host's /etc, as it is now. About a millisecond: a `stat` for each entry. */
export const etcEntries = (root: string): readonly EtcEntry[] => walk(root, '', depth);

const walk = (root: string, below: string, left: number): readonly EtcEntry[] => {
  if (left === 0) return [];
  return names(join(root, below)).flatMap((name): readonly EtcEntry[] => {
    const path = below === '' ? name : `${below}/${name}`;
    const isWanted = isWantedOfEtc(path);
    if (!isWanted && !leadsToWanted(path)) return [];
    const stat = lstatSync(join(root, path), {throwIfNoEntry: false});
    if (stat === undefined) return [];
    if (stat.isDirectory()) return [{kind: 'directory', path, identity: ''}, ...walk(root, path, left - 1)];
    if (!isWanted) return [];
    if (stat.isSymbolicLink()) return [{kind: 'link', path, target: readlinkSync(join(root, path))}];
    // What not everybody on the host may read has a reason for it.
    return stat.isFile() && (stat.mode & 0o004) !== 0 ? [{kind: 'file', path, identity: identityOf(stat)}] : [];
  });
};

const names = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory).sort();
  } catch {
    return []; // not for us to read, or gone since
  }
};

const identityOf = ({ino, size, mtimeMs, ctimeMs}: Stats): string => [ino, size, mtimeMs, ctimeMs].join(':');

/** Largest file that is looked into for a key: certificates come in bundles of a few hundred kilobytes. */
const keySearchLimit = 4 * 1024 * 1024;

/** A file's bytes, or undefined when it holds a private key, is too large to look into, or cannot be read. */
export const harmlessContent = (path: string): Buffer | undefined => {
  try {
    if (lstatSync(path).size > keySearchLimit) return undefined;
    const content = readFileSync(path);
    return content.includes('PRIVATE KEY-----') ? undefined : content;
  } catch {
    return undefined;
  }
};
