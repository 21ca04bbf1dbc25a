import {done, type Result} from '../model/failure.js';
import type {Json} from '../model/json.js';
import {redact} from '../system/redact.js';
import {environmentSetting} from './environment-setting.js';
import {readName} from './setting-name.js';
import {readSettings, type Setting, type SettingName, type Settings, settings} from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting as it is in force here, for people. */
export interface ShownSetting {
  readonly name: string;
  readonly value: Json;
  readonly default: Json;
  readonly origin: 'environment' | 'file' | 'default';
  /** The variable that decides over the file, where there is one. */
  readonly variable: string | null;
  readonly description: string;
}

/** Every setting of ours, and those of plugins that the file has. */
export const listSettings = (
  directory: string,
  env: Environment,
): {readonly settings: readonly ShownSetting[]; readonly complaints: readonly string[]} => {
  const read = readSettings(directory);
  const own = (settings as readonly Setting[]).map((setting) => shown(setting, read, env));
  const plugins = Object.entries(read.plugins).flatMap(([plugin, values]) =>
    Object.keys(values).map((key) => shownOfPlugin(plugin, key, read)),
  );
  return {settings: [...own, ...plugins], complaints: read.complaints};
};

/** One setting. One of a plugin that the file has not is null: only the plugin knows its default. */
export const getSetting = (directory: string, env: Environment, name: string): Result<ShownSetting> => {
  const known = readName(name);
  if (!known.ok) return known;
  const read = readSettings(directory);
  if (known.value.kind === 'own') return done(shown(known.value.setting, read, env));
  return done(shownOfPlugin(known.value.plugin, known.value.key, read));
};

/** One of our own settings, from settings that have been read. */
export const shownSetting = (name: SettingName, read: Settings, env: Environment): ShownSetting => {
  const setting = settings.find((found) => found.name === name);
  if (setting === undefined) throw new Error(`Internal error: there is no setting ${name}`);
  return shown(setting, read, env);
};

const shown = (setting: Setting, read: Settings, env: Environment): ShownSetting => {
  const fromFile = read.values[setting.name as keyof Settings['values']];
  const environment = environmentSetting(setting, env);
  const fromEnvironment = environment.kind === 'value' ? environment.value : undefined;
  const isDefault = JSON.stringify(fromFile) === JSON.stringify(setting.default);
  return {
    name: setting.name,
    value: withoutSecrets(fromEnvironment ?? fromFile),
    default: setting.default,
    origin: fromEnvironment !== undefined ? 'environment' : isDefault ? 'default' : 'file',
    variable: setting.variable ?? null,
    description: setting.description,
  };
};

const shownOfPlugin = (plugin: string, key: string, {plugins}: Settings): ShownSetting => {
  const value = plugins[plugin]?.[key];
  return {
    name: `plugins.${plugin}.${key}`,
    value: withoutSecrets(value ?? null),
    default: null,
    origin: value === undefined ? 'default' : 'file',
    variable: null,
    description: `setting of the plugin ${plugin}`,
  };
};

/** The address of a store may hold a password; nothing of ours shows one. */
export const withoutSecrets = (value: Json): Json => {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutSecrets);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSecrets(item)]));
};
