import {environmentSetting, isNegative} from '../config/environment-setting.js';
import {
  countSetting,
  durationSetting,
  expected,
  parseSetting,
  type Setting,
  type SettingName,
  type Settings,
  settings,
  splitList,
  textSetting,
} from '../config/settings.js';
import type {Failure} from '../model/failure.js';
import type {Json} from '../model/json.js';
import type {LaunchOptions} from '../model/launch.js';
import {ms} from '../model/units.js';
import {parseCondition} from '../readiness/parse-condition.js';

/** Our options of a launch, or the first thing that is wrong with them. */
export type Weighed =
  | {
      readonly ok: true;
      readonly options: LaunchOptions;
      readonly notices: string;
      readonly phases: boolean;
      readonly optimizations: boolean;
      /** One launch in this many goes without an optimization. */
      readonly holdback: number;
      /** Variables that say nothing usable; the setting stands in for each. */
      readonly complaints: readonly string[];
    }
  | {readonly ok: false; readonly text: string};

/**
 * Flag before environment variable before setting before default. A flag that makes no sense is a wrong command line; a
 * variable that makes none may have been set for something else long ago, and must not cost anybody a launch.
 */
export const weighOptions = (
  flags: ReadonlyMap<string, readonly (string | true)[]>,
  env: Readonly<Record<string, string>>,
  configured: Settings,
): Weighed => {
  const values: Record<string, Json> = {};
  const complaints: string[] = [];
  for (const setting of settings as readonly Setting[]) {
    const environment = environmentSetting(setting, env);
    if (environment.kind === 'bad') {
      complaints.push(`${misfit(setting, environment.text, setting.variable ?? '')}; the setting applies`);
    }
    const given = flagValue(setting, flags);
    if (isFault(given)) return {ok: false, text: given.fault};
    const below = environment.kind === 'value' ? environment.value : configured.values[setting.name as SettingName];
    values[setting.name] = given ?? below;
  }
  const runtime = textSetting(values, 'runtime');
  // An empty variable in a script must not turn a sandbox into the host.
  if (runtime === '' && flags.has('runtime')) return {ok: false, text: '--runtime needs the name of a runtime'};
  const until = (values['until'] as readonly string[]).map((text) => ({text, parsed: parseCondition(text)}));
  const unfit = until.find(({parsed}) => !parsed.ok);
  if (unfit !== undefined && !unfit.parsed.ok) return {ok: false, text: conditionFault(unfit.parsed.failure)};
  return {
    ok: true,
    notices: textSetting(values, 'notices'),
    phases: values['phases'] === true,
    optimizations: values['optimizations'] === true,
    holdback: countSetting(values, 'holdback'),
    complaints,
    options: {
      ...(runtime === '' ? {} : {runtime}),
      budget: ms(durationSetting(values, 'budget')),
      noCache: values['cache'] === false,
      noDaemon: values['daemon'] === false,
      with: values['with'] as readonly string[],
      without: values['without'] as readonly string[],
      verbose: values['verbose'] === true,
      ...(until.length === 0
        ? {}
        : {until: {conditions: until.map(({text}) => text), limit: ms(durationSetting(values, 'until.limit'))}}),
    },
  };
};

const conditionFault = (failure: Failure): string => ('detail' in failure ? failure.detail : failure.reason);

interface Fault {
  readonly fault: string;
}

const isFault = (weighed: Json | Fault | undefined): weighed is Fault =>
  typeof weighed === 'object' && weighed !== null && 'fault' in weighed;

const flagValue = (
  setting: Setting,
  flags: ReadonlyMap<string, readonly (string | true)[]>,
): Json | Fault | undefined => {
  const given = setting.flag === undefined ? undefined : flags.get(setting.flag);
  if (given === undefined || setting.flag === undefined) return undefined;
  if (setting.kind === 'switch') return !isNegative(setting);
  if (setting.kind === 'list') {
    return setting.whole === true ? given.map(String) : given.flatMap((value) => splitList(String(value)));
  }
  return checked(setting, String(given.at(-1)), `--${setting.flag}`);
};

const checked = (setting: Setting, text: string, origin: string): Json | Fault =>
  parseSetting(setting, text) ?? {fault: misfit(setting, text, origin)};

const misfit = (setting: Setting, text: string, origin: string): string =>
  `${origin} must be ${expected(setting)}, not '${text}'`;
