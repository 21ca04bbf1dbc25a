import {closeSync, existsSync, openSync, readFileSync, readSync, realpathSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {readAnswer} from './ask-jvm.js';
import {contentIdentity, isAbsent} from './content-identity.js';
import {featureVersion} from './feature-version.js';
import {orUndefined, rememberFiles} from './remember-files.js';
import type {Jvm, UnknownJvm} from './types.js';

/**
 * Which JVM an executable is, by the files around it. Undefined for one whose archives we cannot make: OpenJ9, no HotSpot,
 * and the shims of version managers, which decide anew at each start which JVM it is to be.
 */
export const findJvm = (
  executable: string,
  directory: string,
  real = orUndefined(() => realpathSync.native(executable)),
): Jvm | UnknownJvm | undefined => {
  if (real === undefined || basename(real) !== 'java') return undefined;
  const home = dirname(dirname(real));
  const library = libraries.map((path) => join(home, path)).find(existsSync);
  if (library === undefined || foreign.some((path) => existsSync(join(home, path)))) return undefined;
  const release = readRelease(join(home, 'release'));
  const identity = [real, contentIdentity(real), contentIdentity(library), release?.text ?? ''].join('\n');
  if (release?.isForeign === true) return undefined;
  const feature = release?.feature ?? readAnswer(directory, identity)?.feature;
  if (feature !== undefined) return {executable: real, feature, identity};
  return isNative(real) ? {executable: real, identity, feature: undefined} : undefined;
};

/** Where a HotSpot has itself, by system and variant; older ones than we can use have it elsewhere. */
const libraries = ['lib/server/libjvm.so', 'lib/server/libjvm.dylib', 'lib/client/libjvm.so', 'lib/minimal/libjvm.so'];

/** OpenJ9 has a `libjvm.so` in HotSpot's place too, next to its own. */
const foreign = ['lib/default/libj9vm29.so', 'lib/default', 'lib/compressedrefs', 'lib/j9vm'];

interface Release {
  readonly text: string;
  readonly feature: number | undefined;
  readonly isForeign: boolean;
}

/** The `release` file that every JDK since 7 has in its home: `NAME="value"` lines. */
const readRelease = (path: string): Release | undefined =>
  isAbsent(contentIdentity(path)) ? undefined : releases(path);

const releases = rememberFiles((path): Release => {
  const text = readFileSync(path, 'utf8');
  const value = (name: string): string => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(text)?.[1] ?? '';
  return {
    text,
    feature: featureVersion(value('JAVA_VERSION')),
    isForeign: /openj9|j9/i.test(value('JVM_VARIANT')) || /^IBM\b/.test(value('IMPLEMENTOR')),
  };
});

/** A program for this machine, and not a script that will call another java. */
const isNative = (path: string): boolean => natives(path) === true;

const natives = rememberFiles((path) => {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(4);
    readSync(file, head, 0, 4, 0);
    return (
      head.toString('latin1') === '\x7fELF' ||
      [0xfeedfacf, 0xcafebabe].includes(head.readUInt32BE(0)) ||
      head.readUInt32LE(0) === 0xfeedfacf
    );
  } finally {
    closeSync(file);
  }
});
