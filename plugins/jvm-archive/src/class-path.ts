import {readdirSync, realpathSync, statSync} from 'node:fs';
import {delimiter, dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {contentIdentity} from './content-identity.js';
import {readManifest} from './jar-manifest.js';
import {orUndefined, rememberFiles} from './remember-files.js';
import type {ContentFile, JavaArguments} from './types.js';

/** A program of more jars is looked at too long at each launch: a look takes about 4 µs. */
const most = 500;

/**
 * Every file that the classes of a program come from, with what it is now; undefined where the JVM can archive nothing: a
 * directory with classes on the class path, a jar with an agent, something unreadable.
 */
export const contentOf = (
  {classPath, modulePath, main}: JavaArguments,
  cwd: string,
): readonly ContentFile[] | undefined => {
  const found = new Map<string, string>();
  const modules = (modulePath ?? '').split(delimiter).filter((item) => item !== '');
  const items = classPath === undefined ? [] : classPath.split(delimiter);
  if (main.kind === 'jar' && readManifest(resolve(cwd, main.path))?.hasAgent !== false) return undefined;
  const ok = items.every((item) => addItem(found, cwd, item)) && modules.every((item) => addModules(found, cwd, item));
  return ok && found.size > 0 && found.size <= most ? [...found] : undefined;
};

type Found = Map<string, string>;

/** An empty item is the current directory. */
const addItem = (found: Found, cwd: string, item: string): boolean =>
  /(?:^|\/)\*$/.test(item) ? addJarsOf(found, resolve(cwd, item.slice(0, -1))) : addPath(found, resolve(cwd, item));

const addPath = (found: Found, path: string): boolean => {
  if (found.has(path)) return true;
  const stat = orUndefined(() => statSync(path, {throwIfNoEntry: false}));
  if (stat?.isDirectory() === true) return isEmpty(path);
  found.set(path, contentIdentity(path));
  // What is not there is part of the class path as well: it may come.
  return found.size <= most && (stat === undefined || addManifest(found, path));
};

const addManifest = (found: Found, jar: string): boolean => {
  const manifest = readManifest(jar);
  if (manifest === undefined) return false;
  return manifest.classPath.every((item) => {
    const path = pathOfUrl(item, jar);
    return path === undefined || (isSameWithArchive(item, jar, path) && addPath(found, path));
  });
};

/**
 * A class out of the archive names as its place (`CodeSource`) the real path of its jar, one out of the jar itself the path
 * that its manifest leads to, from the real directory of the jar with the manifest. Where these are not one, a program could
 * tell; and the JVM that makes the archive goes by the directory as it is given, and may find another file there. Of absolute
 * paths it archives nothing.
 */
const isSameWithArchive = (item: string, jar: string, path: string): boolean => {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(item)) return true;
  const container = realOf(jar);
  const loaded = container === undefined ? undefined : pathOfUrl(item, container);
  if (loaded === undefined) return false;
  const [real, archived] = [realOf(loaded), realOf(path)];
  return real === archived && (real === undefined || real === loaded);
};

const realOf = rememberFiles((path) => realpathSync.native(path));

/** Items of `Class-Path` are relative URLs; what is no file cannot be loaded from either. */
const pathOfUrl = (item: string, jar: string): string | undefined =>
  orUndefined(() => fileURLToPath(new URL(item, pathToFileURL(`${dirname(jar)}/`))));

/** `directory/*`: the jars in it, without their order, which the time stamp of the directory stands for. */
const addJarsOf = (found: Found, directory: string): boolean => {
  found.set(directory, contentIdentity(directory));
  const names = orUndefined(() => readdirSync(directory)) ?? [];
  return names.filter((name) => /\.jar$/i.test(name)).every((name) => addPath(found, join(directory, name)));
};

/** A module path has modular jars or directories of them; modules that are directories themselves cannot be archived. */
const addModules = (found: Found, cwd: string, item: string): boolean => {
  const path = resolve(cwd, item);
  const entries = orUndefined(() => readdirSync(path, {withFileTypes: true}));
  if (entries === undefined) return addPath(found, path);
  return entries.every((entry) => entry.isFile()) && addJarsOf(found, path);
};

const isEmpty = (directory: string): boolean => orUndefined(() => readdirSync(directory).length) === 0;
