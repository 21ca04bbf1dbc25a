import {rmSync, statSync} from 'node:fs';
import {type Launch, NoAnswer, type OptimizationWork, type Outcome, type Preparation} from 'bootcut/plugin';
import {applicationOf} from './application.js';
import {type Archive, findArchive} from './archive-store.js';
import {askJvm} from './ask-jvm.js';
import {linkHome} from './java-home.js';
import {makeArchive} from './make-archive.js';
import {classListPath, learntPath, recordedCallPath, scriptShimPath} from './names.js';
import {findWay, type ScriptWay} from './plan-archive.js';
import {readRecordedCall} from './recorded-call.js';
import {orUndefined} from './remember-files.js';
import {keepScript, sweepScripts} from './script-store.js';
import {usingShim} from './shims.js';
import type {Application} from './types.js';

type Work = OptimizationWork & {readonly outcome: Outcome};

/** Makes the archive of a program from what one launch of it has loaded. Throws where there is nothing to make it from. */
export const prepareArchive = async (launch: Launch, work: Work): Promise<Preparation> => {
  const {directory} = work;
  try {
    const way = findWay(launch, directory);
    if (way === undefined) throw new NoAnswer('nothing-there', 'the program has changed since it was started');
    if (way.kind === 'unknown') {
      const {feature} = await askJvm(launch, way.jvm, work);
      return {bytes: 0, detail: feature === 0 ? 'it is no HotSpot' : `it is a JVM ${feature}`};
    }
    if (!endedWell(work.outcome)) return {bytes: 0, detail: 'not learnt from: the launch failed or was killed'};
    const archive =
      way.kind === 'script' ? await forScript(launch, way, work) : await forCall(launch, way.application, work);
    return {bytes: archive.bytes, detail: `${(archive.bytes / 2 ** 20).toFixed(0)} MiB of classes`};
  } finally {
    rmSync(learntPath(directory, launch.id), {recursive: true, force: true});
    sweepScripts(directory);
  }
};

/**
 * A list that a killed JVM wrote may end anywhere, and one of a call that failed names what it took to fail. 130 and 143 are
 * what a JVM ends with that was asked to end (SIGINT, SIGTERM), as servers are.
 */
const endedWell = (outcome: Outcome): boolean => outcome.kind === 'exited' && [0, 130, 143].includes(outcome.code);

/** Another launch of the program may have been learnt from at the same time. */
const forCall = async (launch: Launch, application: Application, {directory, signal}: Work): Promise<Archive> => {
  const archive = findArchive(directory, application.key);
  if (archive !== undefined) return archive;
  const classList = classListPath(directory, launch.id);
  if (!((orUndefined(() => statSync(classList).size) ?? 0) > 0))
    throw new NoAnswer('nothing-there', 'the JVM listed no classes');
  return await makeArchive(launch, application, {directory, signal, classList});
};

const forScript = async (launch: Launch, {script, jvm, java, home}: ScriptWay, work: Work): Promise<Archive> => {
  const {directory} = work;
  const recorded = orUndefined(() => readRecordedCall(recordedCallPath(directory, launch.id)));
  if (recorded === undefined)
    throw new NoAnswer(
      'nothing-there',
      `the script did not call the java ${home === undefined ? 'in PATH by its name' : 'of JAVA_HOME'}, or passed an argument file`,
    );
  const application = applicationOf(jvm, recorded);
  if (application === undefined)
    throw new NoAnswer('nothing-there', 'the script calls java in a way that is left alone');
  const archive = await forCall(launch, application, work);
  const path = scriptShimPath(directory, script.key);
  const shim = usingShim({path, java, home, application, archive: archive.path});
  if (home !== undefined) linkHome(path, home);
  keepScript(directory, script.key, {call: recorded, archive: archive.identity, shim});
  return archive;
};
