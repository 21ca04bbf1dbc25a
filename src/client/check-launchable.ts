import type {Directories} from '../config/directories.js';
import {readSettings} from '../config/settings.js';
import {runtimeVariants} from '../launch/runtime-variants.js';
import {knownNames, unknownName} from '../launch/step-names.js';
import {done, failed, type Result} from '../model/failure.js';
import {visible} from '../system/visible.js';
import {withEngine} from './with-engine.js';

/** What a launch asks for by name. */
interface LaunchNames {
  readonly verb: string;
  readonly runtime: string | undefined;
  readonly with: readonly string[];
  readonly without: readonly string[];
}

/** Is there everything that a launch is to be made with? Otherwise the first name that nothing answers to, and what there is. */
export const checkLaunchable = async (
  directories: Directories,
  {verb, runtime, with: wanted, without}: LaunchNames,
): Promise<Result<void>> =>
  await withEngine(directories, async ({engine}) => {
    const plugins = await engine.parts.plugins.all();
    const runtimes = plugins.flatMap(({info}) => info.runtimes);
    const verbs = [...new Set(runtimes.flatMap((one) => one.verbs))];
    if (!verbs.includes(verb)) return unknown('--verb', `launch verb '${verb}'`, verbs);
    const variants = await runtimeVariants(plugins, readSettings(directories.config));
    const named = [...runtimes.filter(({hasVariants}) => !hasVariants), ...variants.map((one) => one.runtime)];
    const names = named.map(({name}) => name);
    if (runtime !== undefined && !names.includes(runtime)) return unknown('--runtime', `runtime '${runtime}'`, names);
    for (const [flag, given] of [
      ['--with', wanted],
      ['--without', without],
    ] as const) {
      const name = unknownName(given, plugins);
      if (name !== undefined) return unknown(flag, `plugin or step '${name}'`, knownNames(plugins));
    }
    return done(undefined);
  });

const unknown = (flag: string, what: string, known: readonly string[]): Result<never> =>
  failed({reason: 'bad-argument', detail: `${flag}: there is no ${visible(what)}; there are: ${known.join(', ')}.`});
