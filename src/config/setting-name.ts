import {done, failed, type Result} from '../model/failure.js';
import {type Setting, settingByName, settings} from './settings.js';

/** What a name on a command line stands for: a setting of ours, or `plugins.<plugin>.<key>`. */
export type KnownName =
  | {readonly kind: 'own'; readonly setting: Setting}
  | {readonly kind: 'plugin'; readonly plugin: string; readonly key: string};

/** The last dot parts a plugin from its key: plugin names may hold dots. */
const pluginName = /^plugins\.(?<plugin>[^.].*)\.(?<key>[^.]+)$/;

export const readName = (name: string): Result<KnownName> => {
  const setting = settingByName(name);
  if (setting !== undefined) return done({kind: 'own', setting});
  const {plugin, key} = pluginName.exec(name)?.groups ?? {};
  if (plugin !== undefined && key !== undefined) return done({kind: 'plugin', plugin, key});
  return failed({
    reason: 'unknown-setting',
    name,
    known: [...settings.map((item) => item.name), 'plugins.<plugin>.<key>'],
  });
};
