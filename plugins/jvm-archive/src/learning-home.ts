import {randomBytes} from 'node:crypto';
import {mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {linkHome} from './java-home.js';
import {learningHomePath, shortDigest} from './names.js';
import {orUndefined, rememberFiles} from './remember-files.js';
import {learningHomeShim} from './shims.js';
import {touch} from './store-file.js';
import type {Jvm} from './types.js';

interface RealHome {
  readonly jvm: Jvm;
  /** As the script will name it. */
  readonly java: string;
  /** The launch's JAVA_HOME, as it is written. */
  readonly home: string;
}

/**
 * The JAVA_HOME that launches are given which are learnt from: one for each home and build of a JVM, made when the first of
 * them is planned (some sixty links) and kept. A launch that is planned later writes nothing for it. Undefined where it
 * cannot be made.
 */
export const learningHome = (directory: string, real: RealHome): string | undefined => {
  // By all that is in it: the shim of another build of ours is another home, and nobody's is taken away from under him.
  const place = learningHomePath(directory, shortDigest(real.jvm.identity, learningHomeShim({...real, path: ''})));
  const shim = join(place, 'bin', 'java');
  const text = learningHomeShim({...real, path: shim});
  if (readText(shim) !== text) orUndefined(() => make(place, text, real.home));
  if (readText(shim) !== text) return undefined;
  touch(place);
  return place;
};

const readText = rememberFiles((path) => readFileSync(path, 'utf8'));

/** There as a whole or not at all; of two that make it at the same time one comes first. */
const make = (place: string, text: string, real: string): void => {
  const temporary = `${place}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const shim = join(temporary, 'bin', 'java');
    mkdirSync(dirname(shim), {recursive: true, mode: 0o700});
    linkHome(shim, real);
    writeFileSync(shim, text, {mode: 0o700});
    try {
      renameSync(temporary, place);
    } catch {
      // Somebody was faster, or what lies there is broken: a directory with something in it is not replaced.
      if (orUndefined(() => readFileSync(join(place, 'bin', 'java'), 'utf8')) === text) return;
      rmSync(place, {recursive: true, force: true});
      renameSync(temporary, place);
    }
  } finally {
    rmSync(temporary, {recursive: true, force: true});
  }
};
