import {lstatSync, readlinkSync} from 'node:fs';
import {join} from 'node:path';

/** The host's programs as the guest gets them: directories to share read-only, and links of the root directory. */
export interface HostRoot {
  /** Names of directories in `/`, such as `usr`. */
  readonly directories: readonly string[];
  /** Links in `/`: name and target. */
  readonly links: readonly (readonly [name: string, target: string])[];
}

/** Where programs lie. `/opt` is not among them: what was put there is not known to be harmless. */
const names = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Looks at the host's root; `/bin` is a link to `usr/bin` on most systems of today and a directory on others. */
export const hostRoot = (root = '/'): HostRoot => {
  const found = names.map((name) => ({name, stat: lstatSync(join(root, name), {throwIfNoEntry: false})}));
  return {
    directories: found.flatMap(({name, stat}) => (stat?.isDirectory() === true ? [name] : [])),
    links: found.flatMap(({name, stat}) =>
      stat?.isSymbolicLink() === true ? [[name, readlinkSync(join(root, name))] as const] : [],
    ),
  };
};
