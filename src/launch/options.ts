import {environmentSetting, isNegative} from '../config/environment-setting.js';
import {
  durationSetting,
  expected,
  parseSetting,
  type Setting,
  type Settings,
  settings,
  splitList,
  textSetting,
} from '../config/settings.js';
import type {Json} from '../model/json.js';
import type {LaunchOptions} from '../model/launch.js';
import {ms} from '../model/units.js';

/** Our options of a launch, or the first thing that is wrong with them. */
export type Weighed =
  | {readonly ok: true; readonly options: LaunchOptions; readonly notices: string; readonly phases: boolean}
  | {readonly ok: false; readonly text: string};

/** Flag before environment variable before setting before default. */
export const weighOptions = (
  flags: ReadonlyMap<string, readonly (string | true)[]>,
  env: Readonly<Record<string, string>>,
  configured: Settings,
): Weighed => {
  const values: Record<string, Json> = {};
  for (const setting of settings as readonly Setting[]) {
    const weighed = weigh(setting, flags, env, configured);
    if (isFault(weighed)) return {ok: false, text: weighed.fault};
    values[setting.name] = weighed;
  }
  const runtime = textSetting(values, 'runtime');
  return {
    ok: true,
    notices: textSetting(values, 'notices'),
    phases: values['phases'] === true,
    options: {
      ...(runtime === '' ? {} : {runtime}),
      budget: ms(durationSetting(values, 'budget')),
      noCache: values['cache'] === false,
      noDaemon: values['daemon'] === false,
      with: values['with'] as readonly string[],
      without: values['without'] as readonly string[],
      verbose: values['verbose'] === true,
    },
  };
};

interface Fault {
  readonly fault: string;
}

const isFault = (weighed: Json | Fault): weighed is Fault =>
  typeof weighed === 'object' && weighed !== null && 'fault' in weighed;

const weigh = (
  setting: Setting,
  flags: ReadonlyMap<string, readonly (string | true)[]>,
  env: Readonly<Record<string, string>>,
  configured: Settings,
): Json | Fault => {
  const given = setting.flag === undefined ? undefined : flags.get(setting.flag);
  if (given !== undefined) {
    if (setting.kind === 'switch') return !isNegative(setting);
    if (setting.kind === 'list') return given.flatMap((value) => splitList(String(value)));
    return checked(setting, String(given.at(-1)), `--${setting.flag}`);
  }
  const environment = environmentSetting(setting, env);
  if (environment.kind === 'value') return environment.value;
  if (environment.kind === 'bad') return {fault: misfit(setting, environment.text, setting.variable ?? '')};
  return configured.values[setting.name as keyof Settings['values']];
};

const checked = (setting: Setting, text: string, origin: string): Json | Fault =>
  parseSetting(setting, text) ?? {fault: misfit(setting, text, origin)};

const misfit = (setting: Setting, text: string, origin: string): string =>
  `${origin} must be ${expected(setting)}, not '${text}'`;
