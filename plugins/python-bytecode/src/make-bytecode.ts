import {lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {type Launch, minutes, NoAnswer, type OptimizationWork, type Preparation, run} from 'bootcut/plugin';
import type {PythonProgram} from './find-python.js';
import {bytecodePath, markPath, wantedFor} from './plan-bytecode.js';

/** Parts of the library that no program loads, and much of it. */
const unused = '/(?:test|tests|idlelib|lib2to3|turtledemo|ensurepip|site-packages|dist-packages)/';

/**
 * Compiles what the program may load, without running it. The library is part of it: with a prefix Python looks nowhere
 * else for bytecode.
 */
export const makeBytecode = async (launch: Launch, {directory, signal}: OptimizationWork): Promise<Preparation> => {
  const wanted = wantedFor(launch);
  if (wanted === undefined) throw new NoAnswer('nothing-there', 'the program has changed since it was started');
  const {program, key, directories} = wanted;
  const place = bytecodePath(directory, key);
  mkdirSync(place, {recursive: true, mode: 0o700});
  const [library = '', ...others] = directories;
  await compile(launch, program, place, ['-x', unused, library], signal);
  for (const path of others) await compile(launch, program, place, [path], signal);
  const bytes = sizeOf(place);
  if (bytes === 0) throw new NoAnswer('nothing-there', 'Python compiled nothing');
  writeFileSync(markPath(directory, key), String(Date.now()), {mode: 0o600});
  sweep(directory, key);
  return {bytes};
};

const compile = async (
  launch: Launch,
  {python}: PythonProgram,
  place: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  // -I: nothing of the user's directory or variables runs. A file that cannot be compiled is its own affair: status 1.
  const argv = [python, '-I', '-X', `pycache_prefix=${place}`, '-m', 'compileall', '-q', '-q', ...args];
  await run(launch, argv, {signal, limit: minutes(4), cwd: '/', nice: 10});
};

const sizeOf = (directory: string): number =>
  readdirSync(directory, {withFileTypes: true, recursive: true})
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);

/** A set of bytecode has some 20 to 200 MB. */
const mostSets = 8;

/** Removes the sets that were made longest ago; never `kept`. */
const sweep = (directory: string, kept: string): void => {
  const sets = readdirSync(directory)
    .map((key) => ({key, at: statSync(bytecodePath(directory, key), {throwIfNoEntry: false})?.mtimeMs ?? 0}))
    .sort((a, b) => Number(b.key === kept) - Number(a.key === kept) || b.at - a.at);
  for (const {key} of sets.slice(mostSets)) rmSync(bytecodePath(directory, key), {recursive: true, force: true});
  utimesSync(bytecodePath(directory, kept), new Date(), new Date());
};
