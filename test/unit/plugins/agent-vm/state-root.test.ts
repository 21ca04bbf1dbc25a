import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {describe, test} from 'vitest';
import {imageOf, markerPath, pulledDigest} from '../../../../plugins/agent-vm/src/pulled-marker.js';
import {scanArguments} from '../../../../plugins/agent-vm/src/scan-arguments.js';
import {stateRoot} from '../../../../plugins/agent-vm/src/state-root.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

const cwd = '/work/project';

describe("agent-vm's state root", () => {
  test('AGENT_VM_STATE_DIR is taken as it is, before the others', ({expect}) => {
    const env = {AGENT_VM_STATE_DIR: '/s', XDG_STATE_HOME: '/x', HOME: '/h'};
    expect(stateRoot({env, cwd})).toEqual({path: '/s', rule: 'AGENT_VM_STATE_DIR', warning: undefined});
  });

  test('XDG_STATE_HOME comes next, with agent-vm below it', ({expect}) => {
    expect(stateRoot({env: {XDG_STATE_HOME: '/x', HOME: '/h'}, cwd})).toMatchObject({
      path: '/x/agent-vm',
      rule: 'XDG_STATE_HOME',
    });
  });

  test('HOME comes last', ({expect}) => {
    expect(stateRoot({env: {HOME: '/h'}, cwd})).toMatchObject({path: '/h/.local/state/agent-vm', rule: 'HOME'});
  });

  test('without any there is no root', ({expect}) => {
    expect(stateRoot({env: {}, cwd})).toMatchObject({path: undefined, rule: 'none'});
  });

  test('a variable set to nothing counts as set: the root is relative, and that is worth a warning', ({expect}) => {
    const own = stateRoot({env: {AGENT_VM_STATE_DIR: '', XDG_STATE_HOME: '/x', HOME: '/h'}, cwd});
    expect(own).toMatchObject({path: cwd, rule: 'AGENT_VM_STATE_DIR', warning: expect.stringContaining(cwd)});
    const xdg = stateRoot({env: {XDG_STATE_HOME: '', HOME: '/h'}, cwd});
    expect(xdg).toMatchObject({path: `${cwd}/agent-vm`, warning: expect.stringContaining('XDG_STATE_HOME')});
  });
});

describe('the pulled-digest marker', () => {
  const digest = `sha256:${'ab'.repeat(32)}`;

  test("its file is named by the first 8 bytes of the reference's SHA-256", ({expect}) => {
    // printf %s ghcr.io/wirenboard/agent-vm-template:latest | sha256sum
    expect(markerPath('/s', 'ghcr.io/wirenboard/agent-vm-template:latest')).toBe('/s/pulled-digests/4aadab9e5fc7f991');
  });

  test('it is read trimmed, and only a digest counts', async ({expect}) => {
    const root = await temporaryDirectory('marker');
    const launch = {env: {AGENT_VM_STATE_DIR: root}, cwd: '/'};
    const path = markerPath(root, 'img');
    mkdirSync(dirname(path), {recursive: true});
    expect(pulledDigest(launch, 'img')).toBeUndefined();
    writeFileSync(path, `${digest}\n`);
    expect(pulledDigest(launch, 'img')).toBe(digest);
    expect(pulledDigest(launch, 'img:other')).toBeUndefined();
    writeFileSync(path, 'half a dig');
    expect(pulledDigest(launch, 'img')).toBeUndefined();
    rmSync(root, {recursive: true});
  });

  test("the image is the flag's, else the variable's (nothing counts), else the default", ({expect}) => {
    const image = (args: readonly string[], env: Record<string, string>): string =>
      imageOf({env}, scanArguments(args, 28));
    expect(image(['--image', 'a', 'x'], {AGENT_VM_IMAGE_TAG: 'b'})).toBe('a');
    expect(image(['x', '--image', 'a'], {AGENT_VM_IMAGE_TAG: 'b'})).toBe('b');
    expect(image([], {AGENT_VM_IMAGE_TAG: ''})).toBe('');
    expect(image([], {})).toBe('ghcr.io/wirenboard/agent-vm-template:latest');
  });
});
