import {readFileSync, realpathSync, statSync} from 'node:fs';
import {basename, resolve} from 'node:path';
import {findExecutable, type Launch, type LaunchProgram} from 'bootcut/plugin';
import {contentIdentity} from './content-identity.js';
import {type HomeUse, javaHomeUse} from './java-home.js';
import {shortDigest} from './names.js';
import {orUndefined, rememberFiles} from './remember-files.js';

/** A shell script that may come to start `java`, found by its name in PATH or in JAVA_HOME. */
export interface StartScript {
  /** Equal for launches of the same script, as it is now. */
  readonly key: string;
  /** For people. */
  readonly label: string;
  /** Where it calls the java of JAVA_HOME and does nothing else with that. */
  readonly homeUse?: HomeUse;
}

/** The script that a launch starts, if it names java; undefined for any other program. */
export const findStartScript = (launch: Launch, program: LaunchProgram): StartScript | undefined => {
  const [, first = '', text = ''] = launch.argv;
  if (!isShell(program.path)) return program.line === undefined ? undefined : fromFile(program.path);
  if (first === '-c') return /\bjava\b/.test(text) ? {key: shortDigest('text', text), label: 'sh -c …'} : undefined;
  return first === '' || first.startsWith('-') ? undefined : fromFile(resolve(launch.cwd, first));
};

const isShell = (path: string): boolean => /^(?:ba|da|k|z)?sh$/.test(basename(path));

const fromFile = (path: string): StartScript | undefined => {
  const found = namesJava(path);
  if (found === undefined) return undefined; // most scripts: it costs one look
  const real = orUndefined(() => realpathSync.native(path));
  if (real === undefined) return undefined;
  return {key: shortDigest('file', real, contentIdentity(real)), label: basename(path), ...found};
};

/** Start scripts have some hundred lines; what is larger carries something else inside. */
const largest = 256 * 1024;

const namesJava = rememberFiles((path): Pick<StartScript, 'homeUse'> | undefined => {
  if (statSync(path).size > largest) return undefined;
  const text = readFileSync(path, 'utf8');
  if (!/^#! ?\/(?:usr\/)?bin\/(?:env )?(?:ba|da|k|z)?sh\b/.test(text) || !/\bjava\b/.test(text)) return undefined;
  const homeUse = javaHomeUse(text);
  return homeUse === undefined ? {} : {homeUse};
});

/** The `java` that a script finds. */
export const javaInPath = (launch: Launch): string | undefined =>
  (launch.env['PATH'] ?? '') === '' ? undefined : findExecutable(launch, 'java');
