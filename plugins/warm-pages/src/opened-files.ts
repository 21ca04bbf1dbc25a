import {readdirSync, readlinkSync, statSync} from 'node:fs';
import {resolve} from 'node:path';
import {blockSize, type TouchedFile} from './mapped-files.js';
import {read} from './process-tree.js';

/** Of a file that is read and not mapped, no more than this from its beginning, in bytes: what it reads of it is not seen. */
const most = 32 * 1_048_576;

/** Smaller files are not worth an entry of their own when nothing but a name speaks for them. */
const least = 65_536;

/** `O_WRONLY` and `O_RDWR` in the octal `flags` of /proc/PID/fdinfo. */
const writing = 0o3;

/** Files that a process has open for reading. */
export const openedFiles = (pid: number): readonly TouchedFile[] =>
  descriptors(pid).flatMap((descriptor) => {
    const path = linkOf(`/proc/${pid}/fd/${descriptor}`);
    const flags = /^flags:\s*([0-7]+)$/m.exec(read(`/proc/${pid}/fdinfo/${descriptor}`))?.[1];
    const reads = flags !== undefined && (Number.parseInt(flags, 8) & writing) === 0;
    return reads && path?.startsWith('/') === true ? wholeFile(path, 1) : [];
  });

/** Files that its argument list names, by themselves or behind a `=`, `:` or `,` as emulators and JVMs have them. */
export const namedFiles = (pid: number): readonly TouchedFile[] => {
  const cwd = linkOf(`/proc/${pid}/cwd`) ?? '/';
  const args = read(`/proc/${pid}/cmdline`).split('\0').slice(1);
  const names = new Set(args.flatMap((arg) => [arg, ...arg.split(/[=:,]/)]).filter((name) => name.length > 1));
  return [...names].flatMap((name) => wholeFile(resolve(cwd, name), least));
};

const descriptors = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
};

const linkOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

const wholeFile = (path: string, smallest: number): readonly TouchedFile[] => {
  const stat = statSync(path, {throwIfNoEntry: false});
  if (stat?.isFile() !== true || stat.size < smallest) return [];
  return [{path, blocks: Array.from({length: Math.ceil(Math.min(stat.size, most) / blockSize)}, (_, block) => block)}];
};
