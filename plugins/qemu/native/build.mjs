/*
 * Builds the native part of the runtime `qemu`: `bootcut-vm` for the host and `bootcut-agent` for the guest (static:
 * the guest has no libraries when it starts), and with `--sanitized` also `bootcut-vm-sanitized` for the tests. Without a
 * compiler it says so in one line and that is all: every other runtime works. `CC` names a compiler; otherwise the first
 * of musl-gcc (static, the quickest start), cc, gcc, clang.
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const directory = fileURLToPath(new URL('.', import.meta.url));

/** Warnings are errors. glibc warns of results that a `(void)` says are not wanted; musl does not. */
const strict =
  '-std=c11 -Wall -Wextra -Werror -pedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-result';

const programs = {
  host: {target: 'bootcut-vm', parts: ['host', 'shared'], flags: '-O2 -fstack-protector-strong -s', mayBeDynamic: true},
  agent: {target: 'bootcut-agent', parts: ['guest', 'shared'], flags: '-O2 -static -s', mayBeDynamic: false},
  sanitized: {
    target: 'bootcut-vm-sanitized',
    parts: ['host', 'shared'],
    flags: '-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all',
    mayBeDynamic: true,
  },
};

const has = (command) => spawnSync(command, ['--version'], {stdio: 'ignore'}).error === undefined;

/** A compiler by its command, or undefined. The sanitizers' run time does not go with musl. */
const findCompiler = (kind) => {
  const given = process.env.CC;
  if (given !== undefined && given !== '') return has(given) ? given : undefined;
  return (kind === 'sanitized' ? ['cc', 'gcc', 'clang'] : ['musl-gcc', 'cc', 'gcc', 'clang']).find(has);
};

const filesOf = (parts) =>
  parts.flatMap((part) =>
    readdirSync(join(directory, part))
      .filter((name) => /\.[ch]$/.test(name))
      .sort()
      .map((name) => `${part}/${name}`),
  );

/** Builds one of them, unless it is there already, made from these sources by this compiler. */
export const buildNative = (kind) => {
  const {target: name, parts, flags: own, mayBeDynamic} = programs[kind];
  const target = join(directory, name);
  if (process.platform !== 'linux') return {built: false, reason: 'it is for Linux'};
  const compiler = findCompiler(kind);
  if (compiler === undefined)
    return existsSync(target) ? {built: true, target} : {built: false, reason: 'there is no C compiler'};
  const linking = mayBeDynamic && compiler.includes('musl') ? '-static' : '';
  const flags = `${strict} ${own} ${linking}`.split(' ').filter((flag) => flag !== '');
  const hash = createHash('sha256').update(`${compiler} ${flags.join(' ')}`);
  for (const file of filesOf(parts)) hash.update(`\0${file}\0`).update(readFileSync(join(directory, file)));
  const digest = hash.digest('hex');
  const stamp = `${target}.sources`;
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return {built: true, target};
  const temporary = `${target}.${process.pid}.tmp`;
  const sources = filesOf(parts).filter((file) => file.endsWith('.c'));
  try {
    execFileSync(compiler, [...flags, ...sources, '-o', temporary], {
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

/** All that a launch needs; what is missing is said in one line. */
export const buildAll = (kinds = ['host', 'agent']) => {
  for (const kind of kinds) {
    const result = buildNative(kind);
    if (!result.built)
      console.log(`${programs[kind].target}: not built, ${result.reason}; the runtime qemu is not usable`);
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildAll(process.argv.includes('--sanitized') ? ['host', 'agent', 'sanitized'] : ['host', 'agent']);
}
