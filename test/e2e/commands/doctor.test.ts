import {existsSync} from 'node:fs';
import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {DoctorFinding} from '../../../src/model/inspection.js';
import {bootcut, LaunchRig, launcher, type RunOptions} from '../../rig/launch-rig.js';
import {linkPlugin, lookupPlugin} from '../../rig/linked-plugin.js';
import {addressOf, startImpostor} from './impostor.js';

const examine = async (
  rig: LaunchRig,
  options: RunOptions = {},
): Promise<{
  readonly status: number | null;
  readonly of: (area: string, name: string) => DoctorFinding | undefined;
}> => {
  const {status, stdout} = await rig.run(['doctor', '--json'], options);
  const {findings} = JSON.parse(stdout) as {readonly findings: readonly DoctorFinding[]};
  return {status, of: (area, name) => findings.find((finding) => finding.area === area && finding.name === name)};
};

describe('doctor', () => {
  it('finds no fault in a fresh home, and starts no daemon', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.script('placeholder', '');
    await symlink(bootcut, join(rig.root, 'bin', 'bootcut'));
    const env = {PATH: `${rig.root}/bin:${rig.env['PATH'] ?? ''}`};
    const {status, of} = await examine(rig, {env});
    expect(status).toBe(0);
    expect(of('bootcut', 'command')).toMatchObject({state: 'ok'});
    expect(of('daemon', 'state')).toMatchObject({state: 'ok', text: 'not running; the next launch starts it'});
    expect(of('directories', 'state')).toMatchObject({state: 'ok', text: rig.state});
    expect(await rig.daemons()).toEqual([]);
    expect((await rig.run(['doctor'], {env})).stdout).toContain('No faults');
  });

  it('says whether launches go through the native launcher', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const there = existsSync(launcher);
    expect((await examine(rig)).of('bootcut', 'launcher')).toMatchObject({state: there ? 'ok' : 'warning'});
    const turnedOff = await examine(rig, {env: {BOOTCUT_FRONT: 'node'}});
    expect(turnedOff.of('bootcut', 'launcher')).toMatchObject({state: 'warning'});
    expect(turnedOff.status).toBe(0);
  });

  it('says which of several commands a shell would find', async ({expect}) => {
    await using rig = await LaunchRig.create();
    expect((await examine(rig, {env: {PATH: '/usr/bin:/bin'}})).of('bootcut', 'command')).toMatchObject({
      state: 'warning',
    });
    await rig.script('bootcut', '#!/bin/sh\n');
    const env = {PATH: `${rig.root}/bin:${rig.env['PATH'] ?? ''}`};
    const finding = (await examine(rig, {env})).of('bootcut', 'command');
    expect(finding).toMatchObject({state: 'warning'});
    expect(finding?.text).toContain(`${rig.root}/bin/bootcut`);
  });

  it('takes a broken configuration file, plugin or daemon as a fault', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await mkdir(join(rig.home, '.config', 'bootcut'), {recursive: true});
    await writeFile(join(rig.home, '.config', 'bootcut', 'config.json'), '{');
    await linkPlugin(rig, 'rotten', 'this is not javascript');
    await using _ = await startImpostor(addressOf(rig), '');
    const {status, of} = await examine(rig);
    expect(status).toBe(1);
    expect(of('configuration', 'file')).toMatchObject({state: 'fault'});
    expect(of('plugins', 'rotten')).toMatchObject({state: 'fault'});
    expect(of('daemon', 'state')).toMatchObject({state: 'fault'});
    expect((await rig.run(['doctor'])).stdout).toContain('3 faults');
  });

  it('counts which launches went through the daemon, and why the others did not', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    await rig.run(['run', '--', 'true']);
    for (let count = 0; count < 3; count += 1) await rig.run(['run', '--no-daemon', '--', 'true']);
    const {of} = await examine(rig, {env: {BOOTCUT_NO_DAEMON: '1'}});
    expect(of('launches', 'by the daemon')).toMatchObject({
      state: 'warning',
      text: '1 of the newest 4; without it: 3 × no-daemon',
    });
    expect(of('daemon', 'state')).toMatchObject({state: 'ok'});
    expect(of('daemon', 'use')).toMatchObject({state: 'warning'});
  });

  it('names every directory that was passed over', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const env = {XDG_STATE_HOME: 'relative', XDG_CACHE_HOME: 'too', XDG_RUNTIME_DIR: '/nonexistent'};
    const {stdout, stderr} = await rig.run(['doctor'], {env});
    for (const name of Object.keys(env)) expect(stdout).toMatch(new RegExp(`passed over +${name} `));
    expect(stderr).toBe('');
  });

  it('says that a directory was passed over, and that a shared store does not answer', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.run(['config', 'set', 'cache.store', 'redis://127.0.0.1:1']);
    const {status, of} = await examine(rig, {env: {XDG_RUNTIME_DIR: '/nonexistent'}});
    expect(of('directories', 'passed over')).toMatchObject({state: 'warning'});
    expect(of('cache', 'shared store')).toMatchObject({state: 'fault'});
    expect(status).toBe(1);
  });

  it('hands on what plugins say of their own world, and checks it', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const plugin = (name: string, diagnose: string): string =>
      lookupPlugin(name, `async () => 'x'`).replace('steps: [', `diagnose: ${diagnose},\n  steps: [`);
    await linkPlugin(
      rig,
      'talker',
      plugin('talker', `async (launch) => [{name: 'place', state: 'warning', text: launch.cwd, advice: 'Go.'}]`),
    );
    await linkPlugin(rig, 'liar', plugin('liar', `async () => [{name: 'x', state: 'splendid'}]`));
    await linkPlugin(rig, 'thrower', plugin('thrower', `async () => { throw new Error('I am ill'); }`));
    const {of} = await examine(rig);
    expect(of('talker', 'place')).toMatchObject({state: 'warning', text: rig.dir, advice: 'Go.'});
    expect(of('liar', 'diagnosis')).toMatchObject({state: 'fault'});
    expect(of('thrower', 'diagnosis')).toMatchObject({state: 'fault', text: 'its own diagnosis fails: I am ill'});
  });
});

describe('V17: doctor on agent-vm', () => {
  const agentVm = async (rig: LaunchRig, version: string): Promise<string> =>
    await rig.script('agent-vm', `#!/usr/bin/env node\nconsole.log('agent-vm ${version}')\n`);

  it('says by which rule its state is where it is', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const state = async (env: RunOptions['env']): Promise<DoctorFinding | undefined> =>
      (await examine(rig, {env: env ?? {}})).of('agent-vm', 'state');
    expect(await state({})).toMatchObject({state: 'ok', text: `${rig.home}/.local/state/agent-vm, by HOME`});
    expect(await state({XDG_STATE_HOME: '/x'})).toMatchObject({text: '/x/agent-vm, by XDG_STATE_HOME'});
    expect(await state({XDG_STATE_HOME: '/x', AGENT_VM_STATE_DIR: '/verbatim'})).toMatchObject({
      text: '/verbatim, by AGENT_VM_STATE_DIR as it stands',
    });
    const empty = await state({AGENT_VM_STATE_DIR: ''});
    expect(empty).toMatchObject({state: 'warning'});
    expect(empty?.text).toContain('set to nothing');
  });

  it('says which file and which release it found', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const path = await agentVm(rig, '0.1.28');
    const env = {PATH: `${rig.root}/bin:${rig.env['PATH'] ?? ''}`};
    const {of} = await examine(rig, {env});
    expect(of('agent-vm', 'file')).toMatchObject({state: 'ok', text: path});
    expect(of('agent-vm', 'version')).toMatchObject({state: 'ok', text: '0.1.28'});
    expect(of('agent-vm', 'image')?.text).toContain('ghcr.io/wirenboard/agent-vm-template:latest');
    await agentVm(rig, '0.1.3');
    expect((await examine(rig, {env})).of('agent-vm', 'version')).toMatchObject({state: 'warning'});
  });

  it('takes its absence as a warning, and a setting that leads nowhere as a fault', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const env = {PATH: '/usr/bin:/bin'};
    expect((await examine(rig, {env})).of('agent-vm', 'file')).toMatchObject({state: 'warning'});
    await rig.run(['config', 'set', 'plugins.agent-vm.path', '/nonexistent/agent-vm']);
    const {status, of} = await examine(rig, {env});
    expect(of('agent-vm', 'file')).toMatchObject({state: 'fault'});
    expect(status).toBe(1);
  });
});
