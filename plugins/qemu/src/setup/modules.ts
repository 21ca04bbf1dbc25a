import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {runChecked} from './programs.js';
import {Trouble} from './trouble.js';

/** A kernel module, unpacked. */
export interface KernelModule {
  readonly name: string;
  readonly content: Buffer;
}

/** What the guest cannot be without, by the module's name. */
const needed = ['virtio_mmio', 'virtio_console', '9pnet_virtio', '9p', 'overlay'];

/** What it is better with: a network when asked for, giving memory back. */
const useful = ['virtio_net', 'virtio_balloon'];

/** File names of the modules that guests are given, and of what those may need. For taking them out of a package. */
export const modulePatterns = [
  ...[
    'virtio',
    'virtio_ring',
    'virtio_mmio',
    'virtio_console',
    'virtio_net',
    'virtio_balloon',
    'net_failover',
    'failover',
  ],
  ...['netfs', 'fscache', '9pnet', '9pnet_virtio', '9p', 'overlay'],
].map((name) => `*/${name}.ko*`);

/** The modules of a kernel that the guest loads, those that others need first; built-in ones are left out. */
export const findModules = async (directory: string): Promise<readonly KernelModule[]> => {
  const files = moduleFiles(directory);
  const builtin = builtinNames(directory);
  const loaded = new Map<string, KernelModule>();
  const add = async (name: string, isNeeded: boolean): Promise<void> => {
    if (loaded.has(name) || builtin.has(name)) return;
    const path = files.get(name);
    if (path === undefined) {
      if (isNeeded) throw new Trouble(`the kernel of ${directory} has no ${name}, neither as a module nor built in`);
      return;
    }
    const content = await unpacked(path);
    for (const other of dependencies(content)) await add(other, isNeeded);
    loaded.set(name, {name, content});
  };
  for (const name of needed) await add(name, true);
  for (const name of useful) await add(name, false);
  return [...loaded.values()];
};

/** The kernel says `-` and `_` are one. */
const plainName = (file: string): string => file.replace(/\.ko(?:\.\w+)?$/, '').replaceAll('-', '_');

const moduleFiles = (directory: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(directory, {withFileTypes: true, recursive: true})
      .filter((entry) => entry.isFile() && /\.ko(?:\.\w+)?$/.test(entry.name))
      // `parentPath` came with Node 20.12 and is what `path` was.
      .map((entry) => [plainName(entry.name), join(entry.parentPath, entry.name)]),
  );

const builtinNames = (directory: string): ReadonlySet<string> => {
  const list = join(directory, 'modules.builtin');
  if (!existsSync(list)) return new Set();
  const lines = readFileSync(list, 'utf8').split('\n');
  return new Set(lines.filter((line) => line !== '').map((line) => plainName(line.slice(line.lastIndexOf('/') + 1))));
};

const unpacked = async (path: string): Promise<Buffer> => {
  const content = readFileSync(path);
  if (path.endsWith('.gz')) return gunzipSync(content);
  const program = path.endsWith('.xz') ? 'xz' : path.endsWith('.zst') ? 'zstd' : undefined;
  return program === undefined ? content : await runChecked([program, '-dc'], {input: content});
};

/** A module names in its `.modinfo` what must be there before it: `depends=a,b`. */
const dependencies = (content: Buffer): readonly string[] => {
  const at = content.indexOf('\0depends=');
  const end = at < 0 ? -1 : content.indexOf(0, at + 1);
  const text = at < 0 ? '' : content.toString('latin1', at + '\0depends='.length, end);
  return text === '' ? [] : text.split(',').map(plainName);
};
