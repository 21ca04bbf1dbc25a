import {chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {type Binary, findBinary} from '../../../../plugins/agent-vm/src/find-binary.js';
import {makeAgentVm} from '../../../rig/agent-vm.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from './launch.js';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('find');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const file = (path: string, text = '\u007fELF', mode = 0o755): string => {
  const full = join(root, path);
  mkdirSync(dirname(full), {recursive: true});
  writeFileSync(full, text);
  chmodSync(full, mode);
  return full;
};

const onPath = (...directories: readonly string[]): Binary =>
  findBinary(makeLaunch({cwd: root, env: {PATH: directories.map((name) => join(root, name)).join(':')}}));

const bySetting = (path: string): Binary =>
  findBinary(makeLaunch({cwd: root, env: {PATH: join(root, 'bin'), HOME: root}, settings: {path}}));

describe('finding agent-vm', () => {
  test("the first executable of that name on the launch's PATH is run in place", ({expect}) => {
    file('a/agent-vm', '', 0o644);
    const path = file('b/agent-vm');
    file('c/agent-vm');
    expect(onPath('a', 'b', 'c')).toEqual({kind: 'found', path, decidesVersion: true});
  });

  test('the setting wins over PATH, and may start with the home directory', ({expect}) => {
    file('bin/agent-vm');
    const path = file('opt/av');
    expect(bySetting(path)).toEqual({kind: 'found', path, decidesVersion: true});
    expect(bySetting('~/opt/av')).toEqual({kind: 'found', path, decidesVersion: true});
  });

  test('a setting that names no executable is said, and PATH is not used instead', ({expect}) => {
    file('bin/agent-vm');
    expect(bySetting('/nowhere/agent-vm')).toMatchObject({
      kind: 'missing',
      text: expect.stringContaining('/nowhere/agent-vm'),
    });
  });

  test('nothing on PATH is said in one line with the next step', ({expect}) => {
    const missing = onPath('a');
    expect(missing).toMatchObject({
      kind: 'missing',
      text: expect.stringMatching(/^bootcut: [^\n]*plugins\.agent-vm\.path[^\n]*$/),
    });
  });

  test('a link to bootcut is passed over, wherever bootcut lies', ({expect}) => {
    file('bootcut/package.json', '{"name": "bootcut"}');
    file('bootcut/bin/bootcut', '#!/bin/sh\n');
    mkdirSync(join(root, 'a'));
    symlinkSync('../bootcut/bin/bootcut', join(root, 'a/agent-vm'));
    const path = file('b/agent-vm');
    expect(onPath('a', 'b')).toMatchObject({path});
    expect(onPath('a')).toMatchObject({kind: 'missing'});
    expect(bySetting(join(root, 'a/agent-vm'))).toMatchObject({
      kind: 'missing',
      text: expect.stringContaining('bootcut itself'),
    });
  });

  test("this very project's own command is passed over", ({expect}) => {
    mkdirSync(join(root, 'a'));
    // Any executable of this project stands for its command: what counts is the package around it.
    const own = fileURLToPath(new URL('../../../rig/stand-in/agent-vm.mjs', import.meta.url));
    symlinkSync(own, join(root, 'a/agent-vm'));
    const launch = makeLaunch({cwd: root, env: {PATH: join(root, 'a')}});
    expect(findBinary(launch)).toMatchObject({kind: 'missing'});
  });

  test('a script that calls bootcut is passed over: it would call itself for ever', ({expect}) => {
    file('a/agent-vm', '#!/bin/sh\nexec /opt/bootcut/bin/bootcut agent-vm "$@"\n');
    const path = file('b/agent-vm');
    expect(onPath('a', 'b')).toMatchObject({path});
  });

  test('a shell script or a version manager in front is run, but its file does not tell the release', ({expect}) => {
    const script = file('a/agent-vm', '#!/usr/bin/env bash\nexec /opt/bootcut-tests/agent-vm "$@"\n');
    expect(onPath('a')).toEqual({kind: 'found', path: script, decidesVersion: false});
    file('manager/mise');
    mkdirSync(join(root, 'b'));
    symlinkSync('../manager/mise', join(root, 'b/agent-vm'));
    expect(onPath('b')).toEqual({kind: 'found', path: join(root, 'b/agent-vm'), decidesVersion: false});
  });

  test("npm's dispatch shim gives way to the native file of the platform package", async ({expect}) => {
    await using agentVm = await makeAgentVm({layout: 'npm'});
    const launch = makeLaunch({env: {PATH: agentVm.dir}});
    expect(findBinary(launch)).toEqual({kind: 'found', path: agentVm.binary, decidesVersion: true});
    expect(findBinary({...launch, settings: {path: agentVm.path}})).toMatchObject({path: agentVm.binary});
  });

  test('a platform package nested in the main one is found as well, the nearest first', ({expect}) => {
    const name = `node_modules/@wirenboard/agent-vm-${process.platform}-${process.arch}`;
    file('lib/node_modules/@wirenboard/agent-vm/package.json', '{"name": "@wirenboard/agent-vm"}');
    file('lib/node_modules/@wirenboard/agent-vm/bin/agent-vm.js', '#!/usr/bin/env node\n');
    file(`lib/${name}/package.json`, '{}');
    file(`lib/${name}/bin/agent-vm`);
    file(`lib/node_modules/@wirenboard/agent-vm/${name}/package.json`, '{}');
    const path = file(`lib/node_modules/@wirenboard/agent-vm/${name}/bin/agent-vm`);
    mkdirSync(join(root, 'bin'));
    symlinkSync('../lib/node_modules/@wirenboard/agent-vm/bin/agent-vm.js', join(root, 'bin/agent-vm'));
    expect(onPath('bin')).toEqual({kind: 'found', path, decidesVersion: true});
  });

  test('without the platform package the shim itself is run: it says what is missing', ({expect}) => {
    file('lib/node_modules/@wirenboard/agent-vm/package.json', '{"name": "@wirenboard/agent-vm"}');
    const path = file('lib/node_modules/@wirenboard/agent-vm/bin/agent-vm.js', '#!/usr/bin/env node\n');
    expect(bySetting(path)).toEqual({kind: 'found', path, decidesVersion: false});
  });
});
