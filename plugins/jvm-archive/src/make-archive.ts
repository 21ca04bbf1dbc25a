import {chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {type Launch, minutes, NoAnswer, type RunResult, run} from 'bootcut/plugin';
import {type Archive, keepArchive, sweepArchives} from './archive-store.js';
import {isLayout} from './java-options.js';
import {checkingFlags, makingFlags} from './jvm-flags.js';
import {archivePath} from './names.js';
import {temporaryName} from './store-file.js';
import type {Application, JavaArguments} from './types.js';

interface Making {
  readonly directory: string;
  readonly signal: AbortSignal;
  /** As the JVM wrote it. */
  readonly classList: string;
}

/** The user is at work: what is made behind a launch takes the processor last. */
const niceness = 10;

/** A large program takes ten seconds on a slow machine. */
const limit = minutes(4);

/**
 * Has the program's own JVM make its archive from the list of classes, lets the JVM check it, and puts it into its place.
 * Nothing of the program runs. Throws, with nothing left behind, where that does not work.
 */
export const makeArchive = async (launch: Launch, application: Application, making: Making): Promise<Archive> => {
  const {directory, signal, classList} = making;
  const place = archivePath(directory, application.key);
  mkdirSync(dirname(place), {recursive: true, mode: 0o700});
  const temporary = temporaryName(place);
  const {jvm} = application;
  try {
    const make = makingFlags(jvm.feature, classList, temporary);
    expectArchive(await runJvm(launch, application, make, modulesOf(application.arguments), signal), temporary);
    chmodSync(temporary, 0o600);
    // With a module to start the JVM has nothing that it could do without starting it.
    if (application.arguments.main.kind !== 'module') {
      const checked = await runJvm(launch, application, checkingFlags(temporary), ['-version'], signal);
      if (checked.code !== 0) throw new NoAnswer('malformed', `the JVM does not take its archive: ${why(checked)}`);
    }
    publish(temporary, place);
    const archive = keepArchive(directory, application);
    sweepArchives(directory, application.key);
    return archive;
  } finally {
    rmSync(temporary, {force: true});
  }
};

const runJvm = async (
  launch: Launch,
  {jvm, call, arguments: {options, classPath, modulePath}}: Application,
  flags: readonly string[],
  rest: readonly string[],
  signal: AbortSignal,
): Promise<RunResult> =>
  await run(
    launch,
    [
      jvm.executable,
      ...options.filter(isLayout),
      ...flags,
      ...(classPath === undefined ? [] : ['-cp', classPath]),
      ...(modulePath === undefined ? [] : ['-p', modulePath]),
      ...rest,
    ],
    {
      signal,
      limit,
      cwd: call.cwd,
      nice: niceness,
      // What they say is in the options already, as far as archives depend on it; the rest may write files or start agents.
      env: {JAVA_TOOL_OPTIONS: undefined, JDK_JAVA_OPTIONS: undefined, _JAVA_OPTIONS: undefined, CLASSPATH: undefined},
    },
  );

/** Modules are resolved from the one that is to be started, which the JVM does not come to. */
const modulesOf = ({main}: JavaArguments): readonly string[] => (main.kind === 'module' ? ['-m', main.name] : []);

const expectArchive = (result: RunResult, path: string): void => {
  if (result.code !== 0) throw new NoAnswer('ended', `the JVM made no archive: ${why(result)}`);
  if (!isArchive(path)) throw new NoAnswer('malformed', 'what the JVM made is no archive');
};

const why = ({code, stderr, stdout}: RunResult): string => {
  const line = `${stderr}\n${stdout}`.split('\n').find((text) => text.trim() !== '') ?? '';
  return `status ${code ?? 'none'}${line === '' ? '' : `, ${line.trim().slice(0, 200)}`}`;
};

/** The number that a static archive begins with. */
const magic = 0xf00baba2;

const isArchive = (path: string): boolean => {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(4);
    readSync(file, head, 0, 4, 0);
    return [head.readUInt32LE(0), head.readUInt32BE(0)].includes(magic) && statSync(path).size > 4096;
  } finally {
    closeSync(file);
  }
};

/** On disk before its name shows it: after a loss of power no half of it may stand there. */
const publish = (temporary: string, place: string): void => {
  const file = openSync(temporary, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // A directory cannot be replaced by a rename, and stands there by somebody's mistake.
  if (statSync(place, {throwIfNoEntry: false})?.isDirectory() === true) rmSync(place, {recursive: true});
  renameSync(temporary, place);
};
