import {closeSync, openSync, readSync, realpathSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {findExecutable, type Launch} from 'bootcut/plugin';
import {nativeFile, ownerPackage} from './npm-layout.js';

/** agent-vm for one launch. */
export type Binary =
  | {
      readonly kind: 'found';
      /** The file to run, in place: it finds its `msb` beside itself. */
      readonly path: string;
      /** Does the file alone decide which release runs? Not when it is a script or a version manager in front of it. */
      readonly decidesVersion: boolean;
    }
  | {readonly kind: 'missing'; readonly text: string};

type Place = Pick<Launch, 'env' | 'cwd' | 'settings'>;

/** Bytes of a script that are looked at: a wrapper of a few lines. */
const headSize = 4096;

/** The setting `path`, else the first `agent-vm` on the launch's PATH that is not bootcut. No process is started. */
export const findBinary = (launch: Place): Binary => {
  const setting = launch.settings['path'];
  return typeof setting === 'string' && setting !== '' ? fromSetting(launch, setting) : fromPath(launch, []);
};

const fromSetting = (launch: Place, setting: string): Binary => {
  const home = launch.env['HOME'] ?? '~';
  const found = findExecutable(launch, setting.startsWith('~/') ? join(home, setting.slice(2)) : setting);
  const complaint = (fault: string): Binary => ({
    kind: 'missing',
    text: `bootcut: the setting plugins.agent-vm.path names ${setting}, which is ${fault}; set it to the agent-vm file, or unset it to use PATH`,
  });
  if (found === undefined) return complaint('not an executable file');
  const file = inspect(found);
  return file.isBootcut ? complaint('bootcut itself') : toBinary(found, file);
};

const fromPath = (launch: Place, except: readonly string[]): Binary => {
  const found = findExecutable(launch, 'agent-vm', except);
  if (found === undefined) {
    return {
      kind: 'missing',
      text: 'bootcut: agent-vm is not on the PATH of this launch; install it, or set plugins.agent-vm.path to its file',
    };
  }
  const file = inspect(found);
  return file.isBootcut ? fromPath(launch, [...except, dirname(found)]) : toBinary(found, file);
};

interface Inspected {
  readonly realPath: string;
  readonly owner: string | undefined;
  readonly isShellScript: boolean;
  /** Running it would lead back to us. */
  readonly isBootcut: boolean;
}

const inspect = (path: string): Inspected => {
  const realPath = realPathOf(path);
  const owner = ownerPackage(realPath)?.name;
  const head = headOf(realPath);
  const isShellScript = /^#!.*\b(?:ba|da|z|k|mk|fi)?sh\b/.test(head);
  const callsBootcut = isShellScript && /(?:^|[\s/"'])bootcut(?:["'\s]|$)/m.test(head);
  return {realPath, owner, isShellScript, isBootcut: owner === 'bootcut' || callsBootcut};
};

const toBinary = (path: string, {realPath, owner, isShellScript}: Inspected): Binary => {
  if (owner === '@wirenboard/agent-vm') {
    const native = nativeFile(realPath);
    return {kind: 'found', path: native ?? path, decidesVersion: native !== undefined};
  }
  // A version manager's stand-in has another name behind the link, or is a script: its file stays while releases change.
  const isItself = basename(realPath).startsWith('agent-vm') || basename(path) !== 'agent-vm';
  return {kind: 'found', path, decidesVersion: isItself && !isShellScript};
};

const realPathOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** The first bytes as Latin-1 text; nothing for a file that may be run but not read. */
const headOf = (path: string): string => {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(headSize);
      return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, headSize, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
};
