import {rmSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Launch, ReadTools} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import {versionLookup} from '../../../../plugins/agent-vm/src/version-lookup.js';
import {makeAgentVm} from '../../../rig/agent-vm.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from './launch.js';

const tools: ReadTools = {
  signal: new AbortController().signal,
  span: (_name, work) => work(),
  dependsOn: () => undefined,
  etag: undefined,
  previous: undefined,
};

const launchOf = (directory: string, argv: readonly string[] = ['shell']): Launch =>
  makeLaunch({argv, env: {PATH: `${directory}:/usr/bin:/bin`}});

describe('the version of agent-vm', () => {
  for (const layout of ['bare', 'npm'] as const) {
    test(`is what the native file says of itself (${layout})`, async ({expect}) => {
      await using agentVm = await makeAgentVm({layout, version: '0.1.17'});
      expect(await versionLookup.read(launchOf(agentVm.dir), tools)).toBe('0.1.17');
      expect(versionLookup.key(launchOf(agentVm.dir))[0]).toBe(agentVm.binary);
    });
  }

  test('is asked for again when the file is another one', async ({expect}) => {
    await using agentVm = await makeAgentVm();
    const before = versionLookup.key(launchOf(agentVm.dir));
    expect(versionLookup.key(launchOf(agentVm.dir))).toEqual(before);
    utimesSync(agentVm.binary, 1, 1);
    expect(versionLookup.key(launchOf(agentVm.dir))).not.toEqual(before);
  });

  test('is not asked for where nothing depends on it', async ({expect}) => {
    await using agentVm = await makeAgentVm();
    expect(versionLookup.when?.(launchOf(agentVm.dir, ['shell', 'x']))).toBe(true);
    expect(versionLookup.when?.(launchOf(agentVm.dir, ['agent-vm', 'claude']))).toBe(true);
    expect(versionLookup.when?.(launchOf(agentVm.dir, ['pull']))).toBe(false);
    expect(versionLookup.when?.(launchOf('/nowhere'))).toBe(false);
  });

  test('is no answer when the program says something else or fails', async ({expect}) => {
    const root = await temporaryDirectory('version');
    const program = (text: string): void =>
      writeFileSync(join(root, 'agent-vm'), `#!${process.execPath}\n${text}`, {mode: 0o755});
    program('console.log("agent-vm 0.1.28 but not really")');
    await expect(versionLookup.read(launchOf(root), tools)).rejects.toMatchObject({reason: 'malformed'});
    program('console.log("agent-vm 0.1.28"); process.exit(3)');
    await expect(versionLookup.read(launchOf(root), tools)).rejects.toMatchObject({reason: 'malformed'});
    rmSync(root, {recursive: true});
  });

  test('is checked again when read from the store', ({expect}) => {
    expect(versionLookup.parse('0.1.28')).toBe('0.1.28');
    expect(versionLookup.parse('0.2.0-rc.1')).toBe('0.2.0-rc.1');
    for (const bad of ['latest', '', 28, null, '0.1.28\n', {version: '0.1.28'}]) {
      expect(() => versionLookup.parse(bad)).toThrow('not a version');
    }
  });
});
