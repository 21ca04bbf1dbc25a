import {accessSync, closeSync, constants, existsSync, mkdirSync, openSync, rmSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {type Launch, launchProgram, type OptimizationPlan, type OptimizationTools, type PlanEdit} from 'bootcut/plugin';
import {applicationOf} from './application.js';
import {findArchive, noteUse} from './archive-store.js';
import {findJvm} from './find-jvm.js';
import {homeOf} from './java-home.js';
import {canArchive, isUsablePath, learningFlags, usingFlags} from './jvm-flags.js';
import {learningHome} from './learning-home.js';
import {classListPath, learningShimPath, learntPath, recordedCallPath, scriptShimPath, shortDigest} from './names.js';
import {orUndefined} from './remember-files.js';
import {findScript, noteScriptUse} from './script-store.js';
import {learningShim, learntVariable} from './shims.js';
import {findStartScript, javaInPath, type StartScript} from './start-script.js';
import type {Application, Jvm, UnknownJvm} from './types.js';

/** How a launch comes to a JVM. */
export type Way =
  | {readonly kind: 'unknown'; readonly jvm: UnknownJvm}
  | {readonly kind: 'call'; readonly application: Application}
  | ScriptWay;

/** Through a script, which finds java in PATH or in JAVA_HOME. */
export interface ScriptWay {
  readonly kind: 'script';
  readonly script: StartScript;
  readonly jvm: Jvm;
  /** As the script names it. */
  readonly java: string;
  /** The launch's JAVA_HOME, where that is the way. */
  readonly home: string | undefined;
}

/** The way of a launch; undefined for one that ends in no JVM whose archives we can make, or that wants no archive. */
export const findWay = (launch: Launch, directory: string): Way | undefined => {
  if (launch.runtime !== 'process' || !isUsablePath(directory)) return undefined;
  const program = launchProgram(launch);
  if (program === undefined) return undefined;
  const jvm = findJvm(program.path, directory, program.real);
  if (jvm !== undefined) return direct(launch, jvm);
  const script = findStartScript(launch, program);
  return script === undefined ? undefined : byScript(launch, script, directory);
};

const direct = (launch: Launch, jvm: Jvm | UnknownJvm): Way | undefined => {
  if (jvm.feature === undefined) return {kind: 'unknown', jvm};
  if (!canArchive(jvm.feature)) return undefined;
  const application = applicationOf(jvm, {args: launch.argv.slice(1), env: launch.env, cwd: launch.cwd});
  return application === undefined ? undefined : {kind: 'call', application};
};

const byScript = (launch: Launch, script: StartScript, directory: string): Way | undefined => {
  const {JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS, _JAVA_OPTIONS} = launch.env;
  // Their text may hold secrets, and a shim would have to keep it to know it again.
  if ([JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS, _JAVA_OPTIONS].some((text) => text !== undefined && text !== ''))
    return undefined;
  const home = script.homeUse === undefined ? undefined : homeOf(launch, script.homeUse);
  const java = home === undefined ? javaInPath(launch) : `${home}/bin/java`;
  const jvm = java === undefined ? undefined : findJvm(java, directory);
  if (java === undefined || jvm === undefined) return undefined;
  if (jvm.feature === undefined) return {kind: 'unknown', jvm};
  if (!canArchive(jvm.feature)) return undefined;
  const key = home === undefined ? script.key : shortDigest('home', script.key, home);
  return {kind: 'script', script: {...script, key}, jvm, java, home};
};

export const planArchive = (launch: Launch, {directory}: OptimizationTools): OptimizationPlan | undefined => {
  const way = findWay(launch, directory);
  switch (way?.kind) {
    case undefined:
      return undefined;
    case 'unknown':
      return {subject: ['jvm', way.jvm.identity], label: basename(way.jvm.executable), learn: []};
    case 'call':
      return planCall(launch, way.application, directory);
    case 'script':
      return planScript(launch, way, directory);
  }
};

/** Items of the target's argument list before which our flags go: right behind `java`, so that the user's own come later. */
const flagsAt = 1;

const planCall = (launch: Launch, {key, label, jvm}: Application, directory: string): OptimizationPlan | undefined => {
  const base = {subject: ['call', key], label};
  const archive = findArchive(directory, key);
  if (archive !== undefined) {
    noteUse(directory, key);
    const args = usingFlags(jvm.feature, archive.path);
    return {...base, prepared: archive.identity, use: [{kind: 'insert-args', at: flagsAt, args}]};
  }
  const classList = classListPath(directory, launch.id);
  if (!canWrite(directory, classList)) return undefined;
  const args = learningFlags(jvm.feature, classList);
  return {...base, learn: [emptyFile(classList), {kind: 'insert-args', at: flagsAt, args}]};
};

const planScript = (
  launch: Launch,
  {script, jvm, java, home}: ScriptWay,
  directory: string,
): OptimizationPlan | undefined => {
  const base = {subject: ['script', script.key, jvm.identity, java], label: script.label};
  const known = findScript(directory, script.key);
  const application = known === undefined ? undefined : applicationOf(jvm, known.call);
  const archive = application === undefined ? undefined : findArchive(directory, application.key);
  if (application !== undefined && archive !== undefined && archive.identity === known?.archive) {
    noteUse(directory, application.key);
    noteScriptUse(directory, script.key);
    return {...base, prepared: archive.identity, use: [inPlace(scriptShimPath(directory, script.key), home)]};
  }
  const [classList, call] = [classListPath(directory, launch.id), recordedCallPath(directory, launch.id)];
  if (!canWrite(directory, classList)) return undefined;
  if (home === undefined) {
    const path = learningShimPath(directory, launch.id);
    const text = learningShim({path, jvm, java, call, classList});
    return {...base, learn: [emptyFile(classList), {kind: 'write-file', path, text, mode: 0o700}, inPlace(path, home)]};
  }
  const ours = learningHome(directory, {jvm, java, home});
  if (ours === undefined) return undefined;
  const learn: readonly PlanEdit[] = [
    emptyFile(classList),
    {kind: 'set-env', name: 'JAVA_HOME', value: ours},
    {kind: 'set-env', name: learntVariable, value: learntPath(directory, launch.id)},
  ];
  return {...base, learn};
};

/** Puts a shim where the script looks for java. */
const inPlace = (shim: string, home: string | undefined): PlanEdit =>
  home === undefined
    ? {kind: 'prepend-path', name: 'PATH', value: dirname(shim)}
    : {kind: 'set-env', name: 'JAVA_HOME', value: dirname(dirname(shim))};

/** There before the JVM opens it, for nobody else to read. */
const emptyFile = (path: string): PlanEdit => ({kind: 'write-file', path, text: ''});

/** A JVM that cannot write its list says so on the program's stderr: then the launch is not learnt from. */
const canWrite = (directory: string, classList: string): boolean =>
  orUndefined(() => {
    mkdirSync(directory, {recursive: true, mode: 0o700});
    const folder = dirname(dirname(classList));
    if (existsSync(folder)) accessSync(folder, constants.W_OK | constants.X_OK);
    const probe = join(existsSync(folder) ? folder : directory, `${basename(dirname(classList))}.probe`);
    closeSync(openSync(probe, 'wx', 0o600));
    rmSync(probe);
    return true;
  }) ?? false;
