import {lstatSync, readdirSync, readlinkSync, realpathSync, statSync} from 'node:fs';
import {basename, dirname, join, relative} from 'node:path';
import {fileIdentity} from 'bootcut/plugin';

/** A file or link of the host's that nearly every launch reads, by the share it is in. */
export interface HotFile {
  readonly tag: string;
  /** Relative to the share. */
  readonly path: string;
  /** Of the file as it is now; another one makes another template. */
  readonly identity: string;
}

/** Shells, and what scripts and prompts start most. */
const programs = [
  ...['sh', 'dash', 'bash', 'env', 'cat', 'echo', 'ls', 'mkdir', 'rm', 'cp', 'mv', 'grep', 'sed', 'uname', 'id'],
  ...['dirname', 'basename', 'tty', 'stty', 'test', 'true', 'git'],
];

/** What those are linked with; names without a version are links, which are followed. */
const libraries = [
  ...['ld-linux-x86-64.so.2', 'libc.so.6', 'libm.so.6', 'libtinfo.so.6', 'libselinux.so.1', 'libacl.so.1'],
  ...['libattr.so.1', 'libpcre2-8.so.0', 'libz.so.1'],
];
const libraryPlaces = ['usr/lib/x86_64-linux-gnu', 'usr/lib64', 'lib64', 'lib/x86_64-linux-gnu'];

/** What a C library reads for the language that most machines have. */
const localeFiles = [
  'usr/share/locale/locale.alias',
  'usr/lib/x86_64-linux-gnu/gconv/gconv-modules.cache',
  'usr/lib64/gconv/gconv-modules.cache',
];
const localePlace = 'usr/lib/locale/C.utf8';

/** Larger than this is read where it is; a template holds all of it in memory and on disk. Bytes. */
const largest = 4 * 1024 * 1024;

/** Links in one another that are followed. */
const longestChain = 8;

/**
 * The host's files of which a template has a copy, so that a VM that is restored need not ask the host for them: each
 * question is about a fifth of a millisecond under emulation, and a first command has some hundred of them. `tags`: names
 * of directories in the root that are shared.
 */
export const hotFiles = (tags: readonly string[], root = '/'): readonly HotFile[] => {
  const wanted = [
    ...programs.flatMap((name) => [`usr/bin/${name}`, `bin/${name}`]),
    ...libraryPlaces.flatMap((place) => libraries.map((name) => `${place}/${name}`)),
    ...localeFiles,
    ...filesBelow(root, localePlace),
  ];
  const found = new Map<string, HotFile>();
  const places = new Map<string, string>();
  for (const path of wanted)
    for (const step of linkChain(root, path, places)) {
      const [tag = '', ...rest] = step.split('/');
      if (!tags.includes(tag) || rest.length === 0 || found.has(step)) continue;
      found.set(step, {tag, path: rest.join('/'), identity: fileIdentity(join(root, step))});
    }
  return [...found.values()];
};

/** Where a directory really is, below the root; there are few of them, and each is looked at once. */
const placeOf = (root: string, directory: string, places: Map<string, string>): string => {
  const place = places.get(directory) ?? relative(root, realpathSync.native(join(root, directory)));
  places.set(directory, place);
  return place;
};

/** The links that lead to a file, and the file, by their places in directories that are none; empty for other things. */
const linkChain = (root: string, path: string, places: Map<string, string>): readonly string[] => {
  const chain: string[] = [];
  let next = path;
  try {
    for (let length = 0; length < longestChain; length += 1) {
      const here = join(placeOf(root, dirname(next), places), basename(next));
      const stat = lstatSync(join(root, here), {throwIfNoEntry: false});
      if (stat === undefined) return [];
      chain.push(here);
      // Without set-user-ID bits: what those are for is better asked of the host.
      if (stat.isFile()) return stat.size <= largest && (stat.mode & 0o6000) === 0 ? chain : [];
      if (!stat.isSymbolicLink()) return [];
      const target = readlinkSync(join(root, here));
      next = target.startsWith('/') ? target.slice(1) : join(dirname(here), target);
    }
  } catch {
    // its directory is not there, or not for us to read
  }
  return [];
};

const filesBelow = (root: string, path: string): readonly string[] => {
  if (statSync(join(root, path), {throwIfNoEntry: false})?.isDirectory() !== true) return [];
  return readdirSync(join(root, path), {withFileTypes: true}).flatMap((item) =>
    item.isDirectory() ? filesBelow(root, `${path}/${item.name}`) : [`${path}/${item.name}`],
  );
};
