import {existsSync, readdirSync, realpathSync} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import {findExecutable, type Launch, launchProgram, scriptLine} from 'bootcut/plugin';

/** A Python program as a launch starts it. */
export interface PythonProgram {
  /** As it is called: in a virtual environment it is a link, and the link decides which packages there are. */
  readonly python: string;
  /** The real file. */
  readonly real: string;
  /** Options before the program. */
  readonly options: readonly string[];
  /** The program's file; undefined for `-m` and `-c`. */
  readonly script: string | undefined;
}

const isPython = (path: string): boolean => /^python3?(?:\.\d+)?$/.test(basename(path));

/** Which Python program a launch is: `python FILE`, `python -m MODULE`, or a script whose first line names python. */
export const findProgram = (launch: Launch): PythonProgram | undefined => {
  const [first = '', ...args] = launch.argv;
  const program = launchProgram(launch);
  if (program === undefined) return undefined;
  const {path: found, line = ''} = program;
  if (isPython(first)) {
    const at = programAt(args);
    const file = args[at];
    const script = file === undefined || file.startsWith('-') ? undefined : resolve(launch.cwd, file);
    return programOf(found, at === -1 ? args : args.slice(0, at), script);
  }
  const [, byName, byPath, options = ''] =
    /^#! ?(?:\/usr\/bin\/env (python3?(?:\.\d+)?)|(\/\S*\/python3?(?:\.\d+)?))(?: (.*))?$/.exec(line) ?? [];
  const python =
    byName === undefined && byPath === undefined ? undefined : findExecutable(launch, byName ?? byPath ?? '');
  return python === undefined
    ? undefined
    : programOf(
        python,
        options.split(' ').filter((option) => option !== ''),
        found,
      );
};

/** Where the options end: at a file, or at `-m` or `-c`. The values of -X and -W may be items of their own. */
const programAt = (args: readonly string[]): number =>
  args.findIndex(
    (arg, index) =>
      !/^-[A-Za-z]*[XW]$/.test(args[index - 1] ?? '') && (!arg.startsWith('-') || /^-[A-Za-z]*[mc]$/.test(arg)),
  );

/** A shim such as pyenv's is a script, and decides at each start which Python it is to be. */
const programOf = (
  python: string,
  options: readonly string[],
  script: string | undefined,
): PythonProgram | undefined => {
  try {
    const real = realpathSync(python);
    if (!isPython(real) || scriptLine(real) !== undefined) return undefined;
    return {python, real, options, script: script === undefined ? undefined : realpathSync(script)};
  } catch {
    return undefined;
  }
};

/** Where the packages of an interpreter lie, and its version as its directories have it: `3.11`. */
export interface Packages {
  readonly version: string;
  readonly library: string;
  readonly directories: readonly string[];
}

/** By the directories beside the interpreter, as Python itself looks for them. */
export const findPackages = ({python, real}: PythonProgram): Packages | undefined => {
  const environment = join(dirname(python), '..');
  const isVirtual = existsSync(join(environment, 'pyvenv.cfg'));
  const prefix = join(dirname(real), '..');
  const version = versionsIn(join(prefix, 'lib')).find((name) =>
    existsSync(join(prefix, 'lib', `python${name}`, 'os.py')),
  );
  if (version === undefined) return undefined;
  const library = join(prefix, 'lib', `python${version}`);
  const system = [
    join(library, 'site-packages'),
    join(prefix, 'lib/python3/dist-packages'),
    join(prefix, `local/lib/python${version}/dist-packages`),
  ];
  const directories = isVirtual ? [join(environment, 'lib', `python${version}`, 'site-packages')] : system;
  return {version, library, directories: directories.filter(existsSync)};
};

/** The interpreter's own name says which of several it is. */
const versionsIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory).flatMap((name) => /^python(3\.\d+)$/.exec(name)?.[1] ?? []);
  } catch {
    return [];
  }
};
