import * as v from 'valibot';
import type {Directories} from '../config/directories.js';
import {readSettings} from '../config/settings.js';
import {shownSetting} from '../config/shown-settings.js';
import type {OwnedEngine} from '../launch/create-engine.js';
import {type BegunLaunch, questionsOf} from '../launch/inspect-launch.js';
import type {DoctorFinding} from '../model/inspection.js';
import {ms} from '../model/units.js';
import {installationRoot} from '../system/installation.js';
import {callerLaunch} from './caller-launch.js';
import {readDaemonStatus} from './daemon-status.js';
import {
  commandFinding,
  configurationFindings,
  daemonFindings,
  directoryFindings,
  launchesFinding,
  nodeFinding,
  toolFindings,
} from './doctor-checks.js';
import {launcherFinding, launcherSituation} from './doctor-launcher.js';
import {optimizationsFinding} from './doctor-optimizations.js';
import {settleRecords} from './settle-records.js';
import {withEngine} from './with-engine.js';
import {workingDirectory} from './working-directory.js';

/** How long a plugin's diagnosis may take, in milliseconds: it may start a program. */
const diagnosisLimit = ms(5000);

/** Launches that are looked at. */
const launchesShown = 100;

/** Everything that decides whether launches of this user, in this directory, go through bootcut as they should. */
export const examine = async (directories: Directories): Promise<readonly DoctorFinding[]> => {
  const settings = readSettings(directories.config);
  const cwd = workingDirectory().path;
  const status = await readDaemonStatus(directories);
  await settleRecords(directories);
  return await withEngine(directories, async (owned) => [
    nodeFinding(process.versions.node),
    commandFinding(process.env, cwd),
    launcherFinding(launcherSituation(installationRoot, process.env)),
    ...directoryFindings(directories),
    ...configurationFindings(settings),
    ...daemonFindings(status, shownSetting('daemon', settings, process.env)),
    ...(await storeFindings(owned, settings.values['cache.store'] !== '')),
    ...toolFindings(process.env, cwd),
    ...(await pluginFindings(owned)),
    launchesFinding(owned.records?.newest(launchesShown) ?? []),
    optimizationsFinding(
      (owned.engine.parts.optimizations?.ledger.accounts() ?? []).map(({account}) => account),
      settings.values.optimizations === true,
    ),
  ]);
};

const storeFindings = async (owned: OwnedEngine, isConfigured: boolean): Promise<readonly DoctorFinding[]> => {
  if (!isConfigured) return [];
  const about = {area: 'cache', name: 'shared store'};
  if (owned.storeComplaint !== undefined) return [{...about, state: 'fault', text: owned.storeComplaint}];
  const reachable = await owned.engine.cache.isSharedReachable();
  if (reachable === true) return [{...about, state: 'ok', text: 'it answers'}];
  return [
    {...about, state: 'fault', text: 'the store of the setting cache.store does not answer; launches do without it'},
  ];
};

const findingSchema = v.array(
  v.object({
    name: v.string(),
    state: v.picklist(['ok', 'warning', 'fault']),
    text: v.string(),
    advice: v.optional(v.string()),
  }),
);

const pluginFindings = async ({engine}: OwnedEngine): Promise<readonly DoctorFinding[]> => {
  const plugins = await engine.parts.plugins.all();
  const loaded = plugins
    .filter(({bundled, info}) => !bundled || info.fault !== undefined)
    .map(({info}): DoctorFinding => {
      const about = {area: 'plugins', name: info.name};
      if (info.fault !== undefined) return {...about, state: 'fault', text: info.fault};
      return {...about, state: 'ok', text: `steps: ${info.steps.map(({name}) => name).join(', ') || 'none'}`};
    });
  const verbs = plugins.flatMap(({info}) => info.runtimes.flatMap((runtime) => runtime.verbs));
  const launch = await questionsOf(engine.parts, callerLaunch([verbs.includes('shell') ? 'shell' : 'run', 'true']));
  return launch.kind === 'begun' ? [...loaded, ...(await diagnoses(launch))] : loaded;
};

/** What the plugins themselves say, checked: it is a stranger's data. */
const diagnoses = async ({begun}: BegunLaunch): Promise<readonly DoctorFinding[]> => {
  const hosts = [...new Set(begun.plugins.map(({host}) => host))];
  const results = await Promise.all(
    hosts.map(async (host) => {
      const result = await host.call('diagnose', {launch: begun.launch.id}, {limit: diagnosisLimit});
      if (result.ok) return result.value;
      const text = `its own diagnosis fails: ${result.fault.detail}`;
      return [{plugin: host.sources[0]?.name ?? '', findings: [{name: 'diagnosis', state: 'fault', text}]}];
    }),
  );
  return results.flat().flatMap(({plugin, findings}) => {
    const checked = v.safeParse(findingSchema, findings);
    if (!checked.success)
      return [{area: plugin, name: 'diagnosis', state: 'fault' as const, text: 'what it says makes no sense'}];
    return checked.output.map(
      ({advice, ...finding}): DoctorFinding => ({
        area: plugin,
        ...finding,
        ...(advice === undefined ? {} : {advice}),
      }),
    );
  });
};
