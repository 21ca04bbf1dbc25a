import type {Json} from '../model/json.js';
import {visible} from '../system/visible.js';
import {table} from './table.js';

interface ShownSetting {
  readonly name: string;
  readonly value: Json;
  readonly origin: 'environment' | 'file' | 'default';
  readonly variable: string | null;
  readonly description: string;
}

/** `config list` as text. */
export const settingList = (settings: readonly ShownSetting[], complaints: readonly string[]): string =>
  [
    table(
      [
        {head: 'setting', align: 'left'},
        {head: 'value', align: 'left'},
        {head: 'from', align: 'left'},
        {head: 'what it does', align: 'left'},
      ],
      settings.map(({name, value, origin, variable, description}) => [
        name,
        settingText(value) === '' ? '(empty)' : settingText(value),
        origin === 'environment' ? (variable ?? origin) : origin,
        description,
      ]),
    ),
    ...complaints.map((complaint) => `! ${visible(complaint)}`),
  ].join('\n\n');

/** A value as it could be written on a command line. */
export const settingText = (value: Json): string => {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return visible(value.join(','));
  return visible(JSON.stringify(value));
};
