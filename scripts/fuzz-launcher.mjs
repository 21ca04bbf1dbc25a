/*
 * `node scripts/fuzz-launcher.mjs [SECONDS] [SEED]`: feeds broken plans to the launcher's decoder under the sanitizers. With
 * clang and libFuzzer the search is guided by coverage; with another compiler good plans are mutated. `CLANG` names a clang.
 * Ends with 0 when nothing broke, also where there is no compiler (and says so).
 */
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const launcher = fileURLToPath(new URL('../launcher/', import.meta.url));
const [seconds = '10', seed = '1'] = process.argv.slice(2);
const sources = ['fuzz/fuzz-plan.c', 'plan.c', 'wire.c', 'system.c'];
const common = ['-std=c11', '-g', '-O1', '-Wall', '-Wextra', '-Werror', '-fno-sanitize-recover=all', '-I.'];

const directory = mkdtempSync(join(tmpdir(), 'bootcut-fuzz-'));
const program = join(directory, 'fuzz');
const build = (compiler, ...flags) =>
  spawnSync(compiler, [...common, ...flags, ...sources, '-o', program], {cwd: launcher, stdio: 'ignore'}).status === 0;
const run = (...args) =>
  spawnSync(program, args, {
    cwd: directory,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {...process.env, ASAN_OPTIONS: 'detect_leaks=0'},
  }).status;

try {
  const clangs = [process.env.CLANG, 'clang', 'clang-19', 'clang-16', 'clang-14'].filter(
    (name) => name !== undefined && name !== '',
  );
  if (clangs.some((clang) => build(clang, '-DWITH_LIBFUZZER', '-fsanitize=fuzzer,address,undefined'))) {
    console.log(`fuzzing with libFuzzer for ${seconds} s`);
    process.exitCode = run(
      `-max_total_time=${seconds}`,
      '-max_len=4096',
      `-seed=${seed}`,
      '-print_final_stats=1',
      '-verbosity=0',
    );
  } else if (['cc', 'gcc', 'clang'].some((compiler) => build(compiler, '-fsanitize=address,undefined'))) {
    console.log(`fuzzing by mutation for ${seconds} s (no clang with libFuzzer here)`);
    process.exitCode = run(seconds, seed === '1' ? '88172645463325252' : seed);
  } else console.log('not fuzzed: there is no compiler with sanitizers');
} finally {
  rmSync(directory, {recursive: true, force: true});
}
