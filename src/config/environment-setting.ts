import type {Json} from '../model/json.js';
import {parseSetting, type Setting} from './settings.js';

/** What the environment says of a setting: nothing, a value, or something that cannot be one. */
export type EnvironmentSetting =
  | {readonly kind: 'none'}
  | {readonly kind: 'value'; readonly value: Json}
  | {readonly kind: 'bad'; readonly text: string};

/** An empty variable counts as none, and a true `BOOTCUT_NO_…` turns a switch off. */
export const environmentSetting = (
  setting: Setting,
  env: Readonly<Record<string, string | undefined>>,
): EnvironmentSetting => {
  const text = setting.variable === undefined ? undefined : env[setting.variable];
  if (text === undefined || text === '') return {kind: 'none'};
  const value = parseSetting(setting, text);
  if (value === undefined) return {kind: 'bad', text};
  return {kind: 'value', value: typeof value === 'boolean' && isNegative(setting) ? !value : value};
};

/** The flag and the variable of this setting say the opposite of its name. */
export const isNegative = (setting: Setting): boolean => setting.flag?.startsWith('no-') ?? false;
