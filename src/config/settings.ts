import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import * as v from 'valibot';
import type {Json} from '../model/json.js';
import {type Setting, type SettingName, settings} from './setting-list.js';

export {type Setting, type SettingName, settings} from './setting-list.js';

/** The settings of a configuration file. */
export interface Settings {
  readonly values: Readonly<Record<SettingName, Json>>;
  /** `plugins.<name>`, for each plugin its own. */
  readonly plugins: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** What was wrong with the file, a line each; the defaults stand in for what was wrong. */
  readonly complaints: readonly string[];
}

export const configFile = (directory: string): string => join(directory, 'config.json');

const units: Readonly<Record<string, number>> = {ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** `250ms`, `4s`, `10m`, `36h`, `2d`, or a bare number of milliseconds. Undefined for anything else. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * (units[match[2] ?? 'ms'] ?? Number.NaN);
};

const sizeUnits: Readonly<Record<string, number>> = {K: 1 / 1024, M: 1, G: 1024};

/** `512M`, `2G`, or a bare number of MiB, as MiB. Undefined for anything else. */
export const parseSize = (text: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)\s*([KMG])?i?B?$/i.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * (sizeUnits[(match[2] ?? 'M').toUpperCase()] ?? Number.NaN);
};

const yes = ['1', 'true', 'yes', 'on'];
const no = ['0', 'false', 'no', 'off', ''];

/** A written value in the form a setting is kept in, or undefined when it does not fit. */
export const parseSetting = (setting: Setting, value: unknown): Json | undefined => {
  switch (setting.kind) {
    case 'switch':
      if (typeof value === 'boolean') return value;
      if (typeof value !== 'string') return undefined;
      if (yes.includes(value.toLowerCase())) return true;
      return no.includes(value.toLowerCase()) ? false : undefined;
    case 'duration':
      if (typeof value === 'number') return parseSetting(setting, `${value}ms`);
      return typeof value === 'string' && parseDuration(value) !== undefined ? value : undefined;
    case 'size':
      return typeof value === 'string' && parseSize(value) !== undefined ? value : undefined;
    case 'count': {
      const count = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
      return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
    }
    case 'list':
      if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value : undefined;
      if (typeof value !== 'string') return undefined;
      return setting.whole === true ? [value] : splitList(value);
    case 'text':
      if (typeof value !== 'string') return undefined;
      return setting.name === 'notices' && !['auto', 'always', 'never'].includes(value) ? undefined : value;
  }
};

export const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** What a value of this kind looks like, for error messages. */
export const expected = (setting: Setting): string => {
  if (setting.name === 'notices') return 'auto, always or never';
  return {
    switch: 'true or false',
    duration: 'a duration such as 250ms, 4s or 36h',
    size: 'a size such as 512M or 2G',
    count: 'a whole number from 0 on',
    list: 'names separated by commas',
    text: 'a text',
  }[setting.kind];
};

/** The path of a setting in the file: `cache.store` would clash with `cache`, so names are kept flat. */
export const settingByName = (name: string): Setting | undefined => settings.find((setting) => setting.name === name);

export const defaultSettings = (complaints: readonly string[] = []): Settings => ({
  values: Object.fromEntries(settings.map(({name, default: value}) => [name, value])) as Record<SettingName, Json>,
  plugins: {},
  complaints,
});

/** Most have no file, and every launch looks. */
const noFile = defaultSettings();

/** Reads the configuration. Never throws and never writes: a broken file is named, and the defaults apply. */
export const readSettings = (directory: string): Settings => {
  const path = configFile(directory);
  const text = readText(path);
  if (text === undefined) return noFile;
  if (typeof text !== 'string') return defaultSettings([`${path} cannot be read (${text.code}); the defaults apply`]);
  try {
    return fromFile(path, JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    const broken = defaultSettings([`${path} is not valid JSON; the defaults apply. Edit it, or move it away.`]);
    const runtime = runtimeIn(text);
    return runtime === undefined ? broken : {...broken, values: {...broken.values, runtime}};
  }
};

/** Out of a text that is no JSON: what was to run in a VM must not run on the host for the lack of a comma. */
const runtimeIn = (text: string): string | undefined =>
  [...text.matchAll(/"runtime"\s*:\s*"([\w.-]+)/g)].find(({index}) => {
    const before = text.slice(0, index);
    return before.split('{').length - before.split('}').length === 1; // not a plugin's own
  })?.[1];

/** A configuration is a few hundred bytes; this much of anything else is not read into a launch. */
const fileLimit = 1024 * 1024;

/** A pipe in the file's place would hold the launch until somebody wrote to it. */
const readText = (path: string): string | undefined | {readonly code: string} => {
  try {
    const stat = statSync(path, {throwIfNoEntry: false}); // most have none, and an error costs more than the look
    if (stat === undefined) return undefined;
    if (!stat.isFile()) return {code: 'it is not a file'};
    return stat.size > fileLimit ? {code: 'it is too large'} : readFileSync(path, 'utf8');
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : {code: code ?? 'unknown'};
  }
};

const fileSchema = v.record(v.string(), v.unknown());

const fromFile = (path: string, content: unknown): Settings => {
  const file = v.safeParse(fileSchema, content);
  if (!file.success || Array.isArray(content))
    return defaultSettings([`${path} does not hold a JSON object; the defaults apply`]);
  const complaints: string[] = [];
  const values: Record<string, Json> = {};
  for (const setting of settings) {
    const written = file.output[setting.name];
    const value = written === undefined ? setting.default : parseSetting(setting, written);
    if (value === undefined)
      complaints.push(`${path}: ${setting.name} must be ${expected(setting)}; the default applies`);
    // A runtime that makes no sense stays asked for, and is refused: the default would be the host.
    const wanted = setting.name === 'runtime' && value === undefined && written !== null;
    values[setting.name] = wanted ? JSON.stringify(written) : (value ?? setting.default);
  }
  const known: readonly string[] = [...settings.map(({name}) => name), 'plugins'];
  for (const name of Object.keys(file.output)) {
    if (!known.includes(name)) complaints.push(`${path}: there is no setting ${name}`);
  }
  const plugins = pluginSettings(file.output['plugins'] ?? {}, (text) => complaints.push(`${path}: ${text}`));
  return {values: values as Record<SettingName, Json>, plugins, complaints};
};

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each plugin by itself: what is wrong with one costs only that one. */
const pluginSettings = (value: unknown, complain: (text: string) => void): Settings['plugins'] => {
  if (!isObject(value)) {
    complain('plugins must be an object with an object for each plugin; it is ignored');
    return {};
  }
  const entries = Object.entries(value);
  for (const [name, own] of entries) if (!isObject(own)) complain(`plugins.${name} must be an object; it is ignored`);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, Readonly<Record<string, Json>>] => isObject(entry[1])),
  );
};

/** A setting that is a text, a duration or a choice. Values have been checked when they were read. */
export const textSetting = (values: Readonly<Record<string, Json>>, name: SettingName): string => {
  const value = values[name];
  return typeof value === 'string' ? value : '';
};

/** A setting that is a duration, in milliseconds. */
export const durationSetting = (values: Readonly<Record<string, Json>>, name: SettingName): number =>
  parseDuration(textSetting(values, name)) ?? 0;

/** A setting that is a size, in MiB. */
export const sizeSetting = (values: Readonly<Record<string, Json>>, name: SettingName): number =>
  parseSize(textSetting(values, name)) ?? 0;

/** A setting that is a whole number. */
export const countSetting = (values: Readonly<Record<string, Json>>, name: SettingName): number => {
  const value = values[name];
  return typeof value === 'number' ? value : 0;
};
