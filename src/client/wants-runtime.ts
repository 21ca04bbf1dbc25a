import {readSettings, textSetting} from '../config/settings.js';
import type {LaunchRequest} from '../model/launch.js';

/** The runtime that starts programs on the host. */
const host = 'process';

/**
 * Was this program to run elsewhere than on the host: by a flag in front of the command, a variable or the settings? For the
 * case that nothing else of ours works. Verbs other than `run` name a VM by themselves.
 */
export const wantsRuntime = ({argv, env}: LaunchRequest, configDirectory: string): boolean => {
  const [verb, ...words] = argv.map((word) => Buffer.from(word).toString('utf8'));
  if (verb !== 'run') return false;
  const dashes = words.indexOf('--');
  const flag = words.slice(0, dashes < 0 ? words.length : dashes).some((word) => word.startsWith('--runtime'));
  const variable = env
    .map((item) => Buffer.from(item).toString('utf8'))
    .find((item) => item.startsWith('BOOTCUT_RUNTIME='));
  const named =
    variable?.slice('BOOTCUT_RUNTIME='.length) || textSetting(readSettings(configDirectory).values, 'runtime');
  return flag || (named !== '' && named !== host);
};
