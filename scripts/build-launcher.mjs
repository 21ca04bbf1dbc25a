/*
 * Builds the native launcher from launcher/*.c: `launcher/bootcut-launch`, and with `--sanitized` also
 * `launcher/bootcut-launch-sanitized` for the tests. Without a compiler it says so in one line and that is all: launches
 * then go through Node. `CC` names a compiler; otherwise the first of musl-gcc (static, the quickest start), cc, gcc, clang.
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const directory = fileURLToPath(new URL('../launcher/', import.meta.url));

/** Warnings are errors: what a compiler finds odd in so small a program is odd. */
const strict =
  '-std=c11 -Wall -Wextra -Werror -pedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes';
const plain = '-O2 -fstack-protector-strong';
/** No lazy binding: a short run never gets its cost back. Apple's linker has neither option. */
const earlyBinding = process.platform === 'darwin' ? '' : '-fPIE -pie -Wl,-z,relro,-z,now';
const sanitized = '-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all';

const has = (command) => spawnSync(command, ['--version'], {stdio: 'ignore'}).error === undefined;

/** A compiler by its command, or undefined. The sanitizers' run time does not go with musl. */
const findCompiler = (wanted) => {
  const given = process.env.CC;
  if (given !== undefined && given !== '') return has(given) ? given : undefined;
  return (wanted === 'plain' ? ['musl-gcc', 'cc', 'gcc', 'clang'] : ['cc', 'gcc', 'clang']).find(has);
};

const sources = () =>
  readdirSync(directory)
    .filter((name) => /\.[ch]$/.test(name))
    .sort();

const flagsOf = (wanted, compiler) => {
  const linking = compiler.includes('musl') ? '-static' : earlyBinding;
  return `${strict} ${wanted === 'plain' ? `${plain} ${linking} -s` : sanitized}`
    .split(' ')
    .filter((flag) => flag !== '');
};

/** Builds one of the two into `target`, unless it is there already, made from these sources by this compiler. */
export const buildLauncher = (
  wanted = 'plain',
  target = join(directory, `bootcut-launch${wanted === 'plain' ? '' : '-sanitized'}`),
) => {
  const compiler = findCompiler(wanted);
  // One that was built before stays: the daemon asks for its protocol number, not for its sources.
  if (compiler === undefined)
    return existsSync(target) ? {built: true, target} : {built: false, reason: 'there is no C compiler'};
  const flags = flagsOf(wanted, compiler);
  const hash = createHash('sha256').update(`${compiler} ${flags.join(' ')}`);
  for (const name of sources()) hash.update(`\0${name}\0`).update(readFileSync(join(directory, name)));
  const digest = hash.digest('hex');
  const stamp = `${target}.sources`;
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return {built: true, target};
  const files = sources().filter((name) => name.endsWith('.c'));
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    execFileSync(compiler, [...flags, ...files, '-o', temporary], {
      cwd: directory,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    renameSync(temporary, target); // a launcher that runs at this moment keeps its own file
    writeFileSync(stamp, digest);
    return {built: true, target};
  } catch (error) {
    rmSync(temporary, {force: true});
    rmSync(target, {force: true}); // better none than one of other sources
    return {built: false, reason: `${compiler} failed (${error.status ?? error.code})`};
  }
};

const main = () => {
  const wanted = process.argv.includes('--sanitized') ? ['plain', 'sanitized'] : ['plain'];
  for (const kind of wanted) {
    const result = buildLauncher(kind);
    if (!result.built) console.log(`launcher: not built, ${result.reason}; launches go through Node`);
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
