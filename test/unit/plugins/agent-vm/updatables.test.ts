import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Updatable} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {markerPath} from '../../../../plugins/agent-vm/src/pulled-marker.js';
import {imageUpdatables} from '../../../../plugins/agent-vm/src/updatables.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from './launch.js';

const digest = `sha256:${'cd'.repeat(32)}`;
const advice = 'Run `agent-vm pull` to fetch it. Continuing with the cached image.';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('updatables');
  writeFileSync(join(root, 'agent-vm'), '\u007fELF', {mode: 0o755});
  const path = markerPath(root, 'localhost:5000/img:1');
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, digest);
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const updatables = (
  argv: readonly string[],
  {env = {}, without = []}: {env?: Record<string, string>; without?: readonly string[]} = {},
): readonly Updatable[] =>
  imageUpdatables(makeLaunch({argv, env: {AGENT_VM_STATE_DIR: root, PATH: root, ...env}, cwd: root, without}));

describe('what may be out of date', () => {
  test('is the image of the flag with the digest agent-vm pulled', ({expect}) => {
    const mine = {source: 'oci', name: 'localhost:5000/img:1', have: [digest], advice};
    expect(updatables(['claude', '--image', 'localhost:5000/img:1', '-p', 'hi'])).toEqual([mine]);
    expect(updatables(['agent-vm', 'shell', '--image=localhost:5000/img:1'])).toEqual([mine]);
  });

  test('is else the image of the variable, else the default, without a digest when none was pulled', ({expect}) => {
    expect(updatables(['shell'], {env: {AGENT_VM_IMAGE_TAG: 'other'}})).toEqual([
      {source: 'oci', name: 'other', have: [], advice},
    ]);
    expect(updatables(['shell', 'x', '--image', 'y'])).toMatchObject([
      {name: 'ghcr.io/wirenboard/agent-vm-template:latest', have: []},
    ]);
  });

  test('is nothing when the user wants no check', ({expect}) => {
    expect(updatables(['shell', '--no-update-check', 'x'])).toEqual([]);
    expect(updatables(['shell', 'x', '--no-update-check'])).toHaveLength(1);
  });

  test("is nothing where agent-vm's own check stays on: it would be said twice", ({expect}) => {
    expect(updatables(['shell'], {without: ['no-update-check']})).toEqual([]);
    writeFileSync(join(root, 'agent-vm'), '#!/bin/sh\n', {mode: 0o755});
    expect(updatables(['shell'])).toEqual([]);
  });

  test('is nothing for a pinned or empty reference, for help, and for other subcommands', ({expect}) => {
    expect(updatables(['shell', '--image', `img@${digest}`])).toEqual([]);
    expect(updatables(['shell', '--image', ''])).toEqual([]);
    expect(updatables(['shell', '--help'])).toEqual([]);
    expect(updatables(['pull', '--image', 'x'])).toEqual([]);
    expect(updatables(['agent-vm', '--version'])).toEqual([]);
  });
});
