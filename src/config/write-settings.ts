import {chmodSync, mkdirSync, readFileSync, statSync} from 'node:fs';
import Conf from 'conf';
import {done, type Failure, failed, type Result} from '../model/failure.js';
import type {Json} from '../model/json.js';
import {type KnownName, readName} from './setting-name.js';
import {configFile, expected, parseSetting} from './settings.js';
import {withoutSecrets} from './shown-settings.js';

type File = Record<string, unknown>;

/** Writes one setting, checked; everything else in the file stays. A file that cannot be understood is never written to. */
export const setSetting = (directory: string, name: string, text: string): Result<{readonly value: Json}> => {
  const known = readName(name);
  if (!known.ok) return known;
  const value = known.value.kind === 'own' ? parseSetting(known.value.setting, text) : pluginValue(text);
  if (value === undefined && known.value.kind === 'own')
    return failed({reason: 'bad-setting', name, value: text, expected: expected(known.value.setting)});
  return change(directory, (file) => {
    write(file, known.value, value);
    return {value: withoutSecrets(value ?? null)};
  });
};

/** Removes one setting from the file, so that the default applies; says whether it was there. */
export const unsetSetting = (directory: string, name: string): Result<{readonly removed: boolean}> => {
  const known = readName(name);
  if (!known.ok) return known;
  return change(directory, (file) => ({removed: write(file, known.value, undefined)}));
};

/** A plugin's values are its own affair: JSON where it is JSON, else text. */
const pluginValue = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};

/** Puts a value into the file, or removes what is there; says whether something was there. */
const write = (file: Conf<File>, name: KnownName, value: Json | undefined): boolean => {
  if (name.kind === 'own') {
    const had = file.has(name.setting.name);
    if (value === undefined) file.delete(name.setting.name);
    else file.set(name.setting.name, value);
    return had;
  }
  const plugins = record(file.get('plugins'));
  const {[name.key]: old, ...others} = record(plugins[name.plugin]);
  const own = value === undefined ? others : {...others, [name.key]: value};
  const {[name.plugin]: _, ...rest} = plugins;
  const next = Object.keys(own).length === 0 ? rest : {...rest, [name.plugin]: own};
  if (Object.keys(next).length === 0) file.delete('plugins');
  else file.set('plugins', next);
  return old !== undefined;
};

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};

const change = <T>(directory: string, work: (file: Conf<File>) => T): Result<T> => {
  const path = configFile(directory);
  const fault = unusable(path);
  if (fault !== undefined) return failed(fault);
  try {
    mkdirSync(directory, {recursive: true, mode: 0o700});
    const file = new Conf<File>({
      cwd: directory,
      configName: 'config',
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
      configFileMode: 0o600,
    });
    const result = work(file);
    chmodSync(path, 0o600);
    return done(result);
  } catch (error) {
    return failed({reason: 'bad-config-file', path, detail: `it cannot be written (${codeOf(error)})`});
  }
};

/** Why the file must be left alone: whatever is in it is the user's, and would be lost. */
const unusable = (path: string): Failure | undefined => {
  const broken = (detail: string): Failure => ({reason: 'bad-config-file', path, detail});
  let text: string;
  try {
    if (!statSync(path).isFile()) return broken('it is not a file');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : broken(`it cannot be read (${codeOf(error)})`);
  }
  try {
    const content: unknown = JSON.parse(text);
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
    return isObject ? undefined : broken('it does not hold a JSON object');
  } catch {
    return broken('it is not valid JSON');
  }
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';
