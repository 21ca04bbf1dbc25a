import {statSync} from 'node:fs';
import {basename, resolve} from 'node:path';
import {fileIdentity, findExecutable, hashed, type Launch} from 'bootcut/plugin';

/** What launches have in common that read the same files. */
export interface Subject {
  readonly key: readonly string[];
  /** For people: `java editor.jar`. */
  readonly label: string;
  /** Of its list, without a directory. */
  readonly fileName: string;
}

/**
 * The program and the first file among its arguments: what an interpreter is given, or a JVM. Undefined for a program that
 * is not there.
 */
export const subjectOf = (launch: Pick<Launch, 'argv' | 'env' | 'cwd' | 'runtime'>): Subject | undefined => {
  const [command = '', ...args] = launch.argv;
  const program = findExecutable(launch, command);
  if (program === undefined) return undefined;
  const file = args.map((arg) => resolve(launch.cwd, arg)).find(isFile);
  const key = [launch.runtime, program, fileIdentity(program), file ?? ''];
  return {
    key,
    label: [command, ...(file === undefined ? [] : [file])].map((path) => basename(path)).join(' '),
    fileName: `${hashed(JSON.stringify(key))}.list`,
  };
};

/** An option is none: `-c` resolves to a path that is hardly ever there. */
const isFile = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isFile() ?? false;
