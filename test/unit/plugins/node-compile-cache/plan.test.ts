import {chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {OptimizationPlan} from 'bootcut/plugin';
import {afterAll, beforeEach, describe, test} from 'vitest';
import {cachePath, filledAt, markFilled, sweepCaches} from '../../../../plugins/node-compile-cache/src/cache-store.js';
import plugin from '../../../../plugins/node-compile-cache/src/index.js';
import {makeLaunch} from '../agent-vm/launch.js';

let root: string;
let directory: string;
const made: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bootcut-node-'));
  made.push(root);
  directory = join(root, 'store');
  mkdirSync(directory);
});
afterAll(() => made.forEach((path) => rmSync(path, {recursive: true, force: true})));

const file = (name: string, text: string, mode = 0o644): string => {
  const path = join(root, name);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

/** A node with its headers, as nodejs.org's archives have them. */
const nodeOf = (version: string): string => {
  const [major = '', minor = ''] = version.split('.');
  const defines = `#define NODE_MAJOR_VERSION ${major}\n#define NODE_MINOR_VERSION ${minor}\n`;
  file(`node-${version}/include/node/node_version.h`, defines);
  return file(`node-${version}/bin/node`, '\x7fELF', 0o755);
};

type Changes = {readonly env?: Record<string, string>; readonly runtime?: string};
const plan = (argv: readonly string[], {env = {}, runtime = 'process'}: Changes = {}): OptimizationPlan | undefined =>
  plugin.optimizations[0]?.plan(
    makeLaunch({verb: 'run', runtime, argv, cwd: root, env: {PATH: join(root, 'bin'), ...env}}),
    {directory},
  );

const variable = (found: OptimizationPlan | undefined): unknown => {
  const [edit] = found?.use ?? found?.learn ?? [];
  return edit?.kind === 'set-env' && edit.name === 'NODE_COMPILE_CACHE' ? edit.value : edit;
};

describe('a launch of node', () => {
  test.for([
    ['20.20', false],
    ['22.0', false],
    ['22.1', true],
    ['24.21', true],
    ['26.10', true],
  ] as const)('of version %s has a compile cache: %s', ([version, has], {expect}) => {
    file('tool.js', '');
    const found = plan([nodeOf(version), '--max-old-space-size=100', 'tool.js', '--x']);
    expect(variable(found)).toEqual(has ? expect.stringContaining(`${directory}/`) : undefined);
    expect(found?.label).toBe(has ? 'tool.js' : undefined);
  });

  test('through a script that names node, or a link to one, has the same one', ({expect}) => {
    const node = nodeOf('24.1');
    mkdirSync(join(root, 'bin'));
    symlinkSync(node, join(root, 'bin/node'));
    file('lib/tool/cli.js', '#!/usr/bin/env node\nrun()\n', 0o755);
    symlinkSync(join(root, 'lib/tool/cli.js'), join(root, 'bin/tool'));
    const found = plan(['tool', '--x']);
    expect(found).toMatchObject({label: 'cli.js'});
    expect(variable(found)).toBe(variable(plan(['node', 'lib/tool/cli.js'])));
    file('by-path', `#!${node}\n`, 0o755);
    expect(plan(['./by-path'])).toBeDefined();
    file('shell', '#!/bin/sh\nnode x\n', 0o755);
    expect(plan(['./shell'])).toBeUndefined();
  });

  test('has another one for another node, program or build of either', ({expect}) => {
    const node = nodeOf('24.1');
    const [one, two] = [file('one.js', '1'), file('two.js', '2')];
    const seen = [variable(plan([node, one])), variable(plan([node, two])), variable(plan([nodeOf('24.2'), one]))];
    utimesSync(one, 1, 1);
    seen.push(variable(plan([node, one])));
    utimesSync(node, 1, 1);
    seen.push(variable(plan([node, one])));
    expect(seen).not.toContain(undefined);
    expect(new Set(seen).size).toBe(5);
  });

  test.for([
    [{NODE_COMPILE_CACHE: '/mine'}],
    [{NODE_COMPILE_CACHE: ''}],
    [{NODE_DISABLE_COMPILE_CACHE: '1'}],
    [{NODE_V8_COVERAGE: '/coverage'}],
    [{NODE_OPTIONS: '--experimental-permission'}],
    [{NODE_OPTIONS: '--x --snapshot-blob=y'}],
  ] as const)('is left alone with %j', ([env], {expect}) => {
    const argv = [nodeOf('24.1'), file('tool.js', '')];
    expect(plan(argv)).toBeDefined();
    expect(plan(argv, {env})).toBeUndefined();
  });

  test('is left alone where it runs no file, tests, snapshots, or in a VM', ({expect}) => {
    const node = nodeOf('24.1');
    file('tool.js', '');
    for (const args of [[], ['-e', '1'], ['-v'], ['missing.js'], ['--test', 'tool.js'], ['--permission', 'tool.js']]) {
      expect([args, plan([node, ...args])]).toEqual([args, undefined]);
    }
    expect(plan([node, 'tool.js'], {runtime: 'qemu'})).toBeUndefined();
  });

  test('is asked for its version where no headers tell', ({expect}) => {
    const node = file('other/node', '\x7fELF', 0o755);
    file('tool.js', '');
    expect(plan([node, 'tool.js'])).toMatchObject({label: 'node', learn: []});
  });
});

describe('a filled cache', () => {
  test('is used, under a name of its own for each filling', ({expect}) => {
    const argv = [nodeOf('24.1'), file('tool.js', '')];
    const path = variable(plan(argv)) as string;
    expect(plan(argv)?.use).toBeUndefined();
    mkdirSync(path);
    markFilled(directory, path.slice(directory.length + 1));
    expect(plan(argv)).toMatchObject({use: [{kind: 'set-env'}], prepared: expect.stringMatching(/^\d+$/)});
    rmSync(path, {recursive: true});
    expect(plan(argv)?.use).toBeUndefined();
  });

  test('C1: with a mark that is none is filled again', ({expect}) => {
    mkdirSync(cachePath(directory, 'x'));
    for (const text of ['', 'null', '[]', '\0\0']) {
      writeFileSync(join(directory, 'x.made'), text);
      expect(filledAt(directory, 'x')).toBeUndefined();
    }
  });

  test('goes beyond the limits when it has not been used for longest', ({expect}) => {
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      file(`store/${key}/v24/data`, 'x'.repeat(40));
      markFilled(directory, key);
      utimesSync(join(directory, `${key}.made`), 100 + index, 100 + index);
    }
    sweepCaches(directory, 'a', {programs: 10, bytes: 100, bytesOfOne: 0});
    expect(['a', 'b', 'c'].filter((key) => existsSync(cachePath(directory, key)))).toEqual(['a', 'c']);
    sweepCaches(directory, 'a', {programs: 1, bytes: 100, bytesOfOne: 0});
    expect(['a', 'b', 'c'].filter((key) => filledAt(directory, key) !== undefined)).toEqual(['a']);
  });
});
