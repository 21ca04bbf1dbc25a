import {readFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {fileIdentity, hashed, type Launch, type OptimizationPlan, type OptimizationTools} from 'bootcut/plugin';
import {findPackages, findProgram, type PythonProgram} from './find-python.js';
import {needsBytecode} from './needs-bytecode.js';

/** The user's own wishes, to none as well. */
const touchy = ['PYTHONDONTWRITEBYTECODE', 'PYTHONPYCACHEPREFIX', 'PYTHONHOME', 'PYTHONPLATLIBDIR'];

/** Isolated and without environment (the variable is not looked at), without bytecode, with a prefix of its own. */
const touchyOption = /^-[a-zA-Z]*[IEB]|^-X ?pycache_prefix|^pycache_prefix/;

export interface Wanted {
  readonly program: PythonProgram;
  readonly key: string;
  /** What is compiled: directories without a place for bytecode, and the library, which is then looked for there too. */
  readonly directories: readonly string[];
}

/** Undefined for a launch that needs nothing, or where the user wants something else. */
export const wantedFor = (launch: Launch): Wanted | undefined => {
  if (launch.runtime !== 'process') return undefined;
  if (touchy.some((name) => (launch.env[name] ?? '') !== '')) return undefined;
  const program = findProgram(launch);
  if (program === undefined || program.options.some((option) => touchyOption.test(option))) return undefined;
  const packages = findPackages(program);
  if (packages === undefined) return undefined;
  const own = program.script === undefined ? [] : [dirname(program.script)];
  const needy = [...packages.directories, ...own].filter(needsBytecode);
  if (needy.length === 0) return undefined;
  const directories = [packages.library, ...needy];
  const parts = [program.real, ...directories].map((path) => `${path}\n${fileIdentity(path)}`);
  return {program, directories, key: hashed(parts.join('\n')) ?? ''};
};

export const bytecodePath = (directory: string, key: string): string => join(directory, key);
/** Written last: what has it is whole. */
export const markPath = (directory: string, key: string): string => join(bytecodePath(directory, key), 'made');

export const planBytecode = (launch: Launch, {directory}: OptimizationTools): OptimizationPlan | undefined => {
  const wanted = wantedFor(launch);
  if (wanted === undefined) return undefined;
  const {program, key} = wanted;
  const base = {subject: [key, program.script ?? ''], label: basename(program.script ?? program.python)};
  const made = madeAt(directory, key);
  if (made === undefined) return {...base, learn: []};
  const value = bytecodePath(directory, key);
  return {...base, prepared: made, use: [{kind: 'set-env', name: 'PYTHONPYCACHEPREFIX', value}]};
};

const madeAt = (directory: string, key: string): string | undefined => {
  try {
    const made = readFileSync(markPath(directory, key), 'utf8');
    return made === '' ? undefined : made;
  } catch {
    return undefined;
  }
};
