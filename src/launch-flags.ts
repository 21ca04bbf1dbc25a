import type {Interfaces} from '@oclif/core';
import * as Flags from '@oclif/core/flags';
import {type Setting, settings} from './config/settings.js';

/** Our flags of the launch verbs, from the one list of settings, for help, completion and commands that look at launches. */
export const launchFlags: Interfaces.FlagInput = Object.fromEntries(
  (settings as readonly Setting[]).flatMap((setting) =>
    setting.flag === undefined ? [] : [[setting.flag, launchFlag(setting, setting.flag)] as const],
  ),
);

function launchFlag(setting: Setting, flag: string): Interfaces.FlagInput[string] {
  const origin = setting.variable === undefined ? '' : ` (also ${setting.variable}, or the setting ${setting.name})`;
  const description = `${flag.startsWith('no-') ? 'turn off: ' : ''}${setting.description}${origin}`;
  if (setting.kind === 'switch') return Flags.boolean({description});
  if (setting.kind === 'list')
    return Flags.string({description, helpValue: 'NAMES', multiple: true, multipleNonGreedy: true});
  return Flags.string({description, helpValue: setting.kind === 'duration' ? 'DURATION' : 'NAME'});
}

/** Parsed flags as they would stand on a command line. */
export const launchFlagTokens = (flags: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (!Object.hasOwn(launchFlags, name) || value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [value as string | string[]].flat().flatMap((item) => [`--${name}`, item]);
  });
