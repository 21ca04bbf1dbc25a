import {existsSync, readFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {isRecord} from './is-record.js';

/** Directories above a file that are searched for its package: `bin/x` and `dist/bin/x` lie this close. */
const depth = 4;

/** Name and directory of the npm package that a file belongs to. */
export interface OwnerPackage {
  readonly name: string;
  readonly directory: string;
}

/** The package around a file (its real path), by the nearest package.json; undefined when there is none close by. */
export const ownerPackage = (realPath: string): OwnerPackage | undefined => {
  const directory = ancestors(realPath)
    .slice(0, depth)
    .find((candidate) => existsSync(join(candidate, 'package.json')));
  const name = directory === undefined ? undefined : packageName(join(directory, 'package.json'));
  return directory === undefined || name === undefined ? undefined : {name, directory};
};

/**
 * The native file that the npm package's dispatch shim would start, found by Node's rules for packages but without
 * starting Node. Undefined when it is not installed: the shim then says so better than we could.
 */
export const nativeFile = (shimRealPath: string): string | undefined => {
  const name = `@wirenboard/agent-vm-${process.platform}-${process.arch}`;
  const directory = ancestors(shimRealPath)
    .filter((candidate) => basename(candidate) !== 'node_modules')
    .map((candidate) => join(candidate, 'node_modules', name))
    .find((candidate) => existsSync(join(candidate, 'package.json')));
  const file = directory === undefined ? undefined : join(directory, 'bin', 'agent-vm');
  return file !== undefined && existsSync(file) ? file : undefined;
};

/** The directories around a path, nearest first. */
const ancestors = (path: string): readonly string[] => {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestors(parent)];
};

const packageName = (path: string): string | undefined => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(manifest) && typeof manifest['name'] === 'string' ? manifest['name'] : undefined;
  } catch {
    return undefined;
  }
};
