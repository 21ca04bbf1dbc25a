import {readdirSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {contentIdentity} from './content-identity.js';
import {scriptNotePath, scriptShimPath} from './names.js';
import {orUndefined} from './remember-files.js';
import {field, isTexts, jsonFile, storeFile, touch} from './store-file.js';
import type {JavaCall} from './types.js';

/** What is known of a start script: how it calls java, and the shim that answers this call. */
export interface KnownScript {
  readonly call: JavaCall;
  /** The archive that the shim gives to java, by its identity. */
  readonly archive: string;
  /** Of the shim; another one is not put into anybody's PATH. */
  readonly shim: string;
}

const readNote = jsonFile((value): KnownScript | undefined => {
  const [cwd, classPath, args] = [field(value, 'cwd'), field(value, 'classPath'), field(value, 'args')];
  const [archive, shim] = [field(value, 'archive'), field(value, 'shim')];
  if (typeof cwd !== 'string' || typeof classPath !== 'string' || !isTexts(args)) return undefined;
  if (typeof archive !== 'string' || typeof shim !== 'string') return undefined;
  return {call: {cwd, env: {CLASSPATH: classPath}, args}, archive, shim};
});

export const findScript = (directory: string, key: string): KnownScript | undefined => {
  const known = readNote(scriptNotePath(directory, key));
  return known !== undefined && contentIdentity(scriptShimPath(directory, key)) === known.shim ? known : undefined;
};

export const keepScript = (directory: string, key: string, {call, archive, shim}: KnownScript): void => {
  const path = scriptShimPath(directory, key);
  storeFile(path, shim, 0o700);
  const note = {
    cwd: call.cwd,
    classPath: call.env['CLASSPATH'] ?? '',
    args: call.args,
    archive,
    shim: contentIdentity(path),
  };
  storeFile(scriptNotePath(directory, key), JSON.stringify(note));
};

/** Notes that a script is in use, for {@link sweepScripts}. */
export const noteScriptUse = (directory: string, key: string): void => {
  touch(scriptNotePath(directory, key));
  touch(join(directory, 'scripts', key)); // its shim's
};

/** A script, or a home, that no launch has used for so long is gone or has changed, milliseconds. */
const forgottenAfter = 90 * 24 * 3_600_000;
/** A launch that takes longer teaches nothing any more. */
const learntFor = 2 * 24 * 3_600_000;

/** Removes what launches left behind that ended without us, and scripts that nobody has started for long. */
export const sweepScripts = (directory: string): void => {
  for (const [folder, age] of [
    ['learnt', learntFor],
    ['scripts', forgottenAfter],
    ['homes', forgottenAfter],
  ] as const) {
    for (const name of orUndefined(() => readdirSync(join(directory, folder))) ?? []) {
      const path = join(directory, folder, name);
      const changedAt = orUndefined(() => statSync(path).mtimeMs) ?? Date.now();
      if (Date.now() - changedAt > age) rmSync(path, {recursive: true, force: true});
    }
  }
};
