/* Compiles one small native program of ours, unless it is there already, made from these sources by this compiler. */
import {execFileSync, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/** Warnings are errors: what a compiler finds odd in so small a program is odd. */
const strict =
  '-std=c11 -Wall -Wextra -Werror -pedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes';

const has = (command) => spawnSync(command, ['--version'], {stdio: 'ignore'}).error === undefined;

/** A compiler by its command, or undefined: `CC`, else the first of these that is there. */
export const findCompiler = (names) => {
  const given = process.env.CC;
  if (given !== undefined && given !== '') return has(given) ? given : undefined;
  return names.find(has);
};

const sourcesOf = (directory, part) =>
  readdirSync(join(directory, part))
    .filter((name) => /\.[ch]$/.test(name))
    .sort()
    .map((name) => join(part, name));

/**
 * Compiles the C files of a directory, or of these parts of it, into `target`. `flags` besides the strict ones. Returns
 * `{built: true, target}` or `{built: false, reason}`, the reason for a person.
 */
export const compileNative = ({directory, parts = ['.'], target, compiler, flags}) => {
  // One that was built before stays: what it talks to asks for its protocol number, not for its sources.
  if (compiler === undefined)
    return existsSync(target) ? {built: true, target} : {built: false, reason: 'there is no C compiler'};
  const all = `${strict} ${flags}`.split(' ').filter((flag) => flag !== '');
  const sources = parts.flatMap((part) => sourcesOf(directory, part));
  const hash = createHash('sha256').update(`${compiler} ${all.join(' ')}`);
  for (const name of sources) hash.update(`\0${name}\0`).update(readFileSync(join(directory, name)));
  const digest = hash.digest('hex');
  const stamp = `${target}.sources`;
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return {built: true, target};
  const files = sources.filter((name) => name.endsWith('.c'));
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    execFileSync(compiler, [...all, ...files, '-o', temporary], {
      cwd: directory,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    renameSync(temporary, target); // one that runs at this moment keeps its own file
    writeFileSync(stamp, digest);
    return {built: true, target};
  } catch (error) {
    rmSync(temporary, {force: true});
    rmSync(target, {force: true}); // better none than one of other sources
    return {built: false, reason: `${compiler} failed (${error.status ?? error.code})`};
  }
};
