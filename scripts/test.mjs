/*
 * The whole suite, from nothing: programs, build, static checks, unit tests, end-to-end tests, and the launch, daemon and
 * cache tests once more on other releases of Node. The last line is `N passed, N failed`.
 *
 *   npm test                      everything
 *   npm test -- --only unit,e2e   some parts, by name
 *   npm test -- --long            more of it on other releases of Node; takes longer than CI may
 */
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {nodeOf, otherNodes} from './test-node.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = join(root, 'node_modules', '.cache', 'test-reports');

/** No part may take longer: a wedged test must end as a failure and not as a lost run. Milliseconds. */
const partLimit = 10 * 60_000;

/** CI has two cores. Most tests start processes and wait for them, so one more of them runs beside the others. */
const workers = ['--maxWorkers', '3'];

/**
 * What runs on every release of Node: the launch as its target sees it, the daemon and its peers, the cache; with `--long`
 * plugin threads and the daemon's life as well. What depends on the file system or the terminal alone has been shown on
 * the first one; CI has 15 minutes.
 */
const everywhere = [
  'test/e2e/launch/transparency',
  'test/e2e/daemon/peers',
  'test/unit/cache',
  ...(process.argv.includes('--long') ? ['test/e2e/launch/plugins', 'test/e2e/daemon/lifecycle'] : []),
];

const sum = {passed: 0, failed: 0, skipped: 0};
const parts = [];

const add = (name, counts, seconds) => {
  for (const key of Object.keys(sum)) sum[key] += counts[key] ?? 0;
  parts.push({name, seconds, ...counts});
};

/** A log is for reading: no colours unless somebody looks on. */
const plain = process.stdout.isTTY ? {} : {NO_COLOR: '1', FORCE_COLOR: '0'};

/** Runs a command to its end, or to the limit; then its whole process group is ended. `shown` takes what it writes. */
const run = (command, args, env = {}, shown = undefined) =>
  new Promise((resolve) => {
    const output = shown === undefined ? 'inherit' : 'pipe';
    const child = spawn(command, args, {
      cwd: root,
      env: {...process.env, ...plain, ...env},
      stdio: ['ignore', output, output],
      detached: true,
    });
    child.stdout?.on('data', shown);
    child.stderr?.on('data', shown);
    const timer = setTimeout(() => {
      console.log(`${command} ${args[0] ?? ''} took longer than ${partLimit / 60_000} minutes and was ended`);
      process.kill(-child.pid, 'SIGKILL');
    }, partLimit);
    child.on('error', () => resolve(false));
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve(status === 0);
    });
  });

const tool = (name) => join(root, 'node_modules', '.bin', name);

/** A check that is a command: one passed or one failed. */
const check = async (name, command, args) => {
  const began = performance.now();
  const output = [];
  const ok = await run(command, args, {}, (chunk) => output.push(chunk));
  console.log(`\n== ${name}\n${Buffer.concat(output).toString()}`);
  add(name, ok ? {passed: 1} : {failed: 1}, (performance.now() - began) / 1000);
  return ok;
};

/** The tracked file is what the commands of this build come to. */
const manifest = async () => {
  const name = 'oclif.manifest.json';
  const before = readFileSync(join(root, name), 'utf8');
  const made = await check('oclif manifest', process.execPath, ['scripts/manifest.mjs']);
  if (!made || readFileSync(join(root, name), 'utf8') === before) return;
  console.log(`${name} was out of date; it is now up to date: commit it`);
  sum.passed -= 1;
  parts.pop();
  add('oclif manifest', {failed: 1}, 0);
};

const tests = async (name, filters, {node = process.execPath, env} = {}) => {
  console.log(`\n== ${name}`);
  const began = performance.now();
  const report = join(reports, `${name.replaceAll(/\W+/g, '-')}.json`);
  rmSync(report, {force: true});
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const ok = await run(node, [vitest, 'run', ...reporters, ...workers, ...filters], env);
  const counts = counted(report, ok);
  add(name, counts, (performance.now() - began) / 1000);
};

const counted = (report, ok) => {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {failed: 1}; // it did not get as far as a report
  }
  // A file that cannot be loaded has no tests that could fail.
  const broken = result.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failed = result.numFailedTests + broken.length;
  return {
    passed: result.numPassedTests,
    failed: failed === 0 && !ok ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  };
};

/** The tests themselves run on that Node, and so does the command they start. */
const onOtherNodes = async () => {
  for (const [major, version] of Object.entries(otherNodes)) {
    const node = nodeOf(version);
    if (node === undefined) {
      console.log(`\n== node ${major}: cannot be fetched, not run`);
      add(`node ${major}`, {skipped: 1}, 0);
      continue;
    }
    const env = {BOOTCUT_TEST_NODE: node, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`};
    await tests(`node ${major}`, everywhere, {node, env});
  }
};

const all = {
  format: () => check('format', tool('biome'), ['ci', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.']),
  lint: () =>
    check('lint', tool('eslint'), [
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      'node_modules/.cache/eslint/',
      '.',
    ]),
  types: () => check('types', tool('tsc'), ['--noEmit', '-p', 'tsconfig.json']),
  unused: () => check('unused code', tool('knip'), ['--no-progress']),
  manifest,
  package: () => check('package', process.execPath, ['scripts/lint-package.mjs']),
  unit: () => tests('unit', ['--project', 'unit']),
  e2e: () => tests('e2e', ['--project', 'e2e']),
  nodes: onOtherNodes,
};

const summary = () => {
  console.log('\n== summary');
  for (const {name, seconds, passed = 0, failed = 0, skipped = 0} of parts) {
    const counts = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    console.log(`${name.padEnd(16)} ${counts.padEnd(36)} ${seconds.toFixed(1)} s`);
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`);
};

const main = async () => {
  const only = process.argv.includes('--only')
    ? process.argv[process.argv.indexOf('--only') + 1].split(',')
    : undefined;
  const unknown = only?.filter((name) => !Object.hasOwn(all, name)) ?? [];
  if (unknown.length > 0) {
    console.error(`there is no part ${unknown.join(', ')}; there are: ${Object.keys(all).join(', ')}`);
    process.exit(2);
  }
  mkdirSync(reports, {recursive: true});
  spawnSync(process.execPath, ['scripts/setup-tests.mjs'], {cwd: root, stdio: 'inherit'});
  if (await check('build', process.execPath, ['scripts/build.mjs'])) {
    const wanted = only ?? Object.keys(all);
    // None of these writes anything that another one reads.
    const beside = wanted.filter((name) => ['format', 'lint', 'types', 'unused'].includes(name));
    await Promise.all(beside.map((name) => all[name]()));
    for (const name of wanted.filter((one) => !beside.includes(one))) await all[name]();
  }
  summary();
  process.exitCode = sum.failed === 0 && sum.passed > 0 ? 0 : 1;
};

await main();
