import {readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {InspectedLaunch} from '../../../src/model/inspection.js';
import {bootcut, LaunchRig} from '../../rig/launch-rig.js';
import {type Finished, run} from '../../rig/program.js';

/** Without any network, if the system lets us. */
const offline = async (rig: LaunchRig, line: string): Promise<Finished> => {
  const {status} = await rig.shell('unshare -n true 2>/dev/null');
  return await rig.shell(status === 0 ? `${line.replace(/^bootcut/, 'unshare -n "$BOOTCUT"')}` : line, {
    env: {BOOTCUT: bootcut, npm_config_registry: 'http://127.0.0.1:1'},
  });
};

describe('plugins create', () => {
  it('makes a plugin that passes its own tests', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const created = await rig.run(['plugins', 'create', 'toolchain', '--json']);
    expect(created).toMatchObject({status: 0, stderr: ''});
    const directory = join(rig.dir, 'toolchain');
    expect(JSON.parse(created.stdout)).toMatchObject({name: 'toolchain', directory});
    const texts = await Promise.all(
      ['package.json', 'index.js', 'README.md'].map((name) => readFile(join(directory, name), 'utf8')),
    );
    for (const text of texts) {
      expect(text).toContain('toolchain');
      expect(text).not.toContain('{{');
    }
    const tested = await run(['node', '--test'], {
      env: rig.environment({NODE_TEST_CONTEXT: undefined}),
      cwd: directory,
    });
    expect({status: tested.status, stdout: tested.stdout.match(/^# (?:pass|fail) \d+$/gm)}).toEqual({
      status: 0,
      stdout: ['# pass 4', '# fail 0'],
    });
  });

  it('makes one that links without a network, shows in steps, and answers the second launch from the cache', async ({
    expect,
  }) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    await rig.run(['plugins', 'create', 'toolchain']);
    expect(await offline(rig, 'bootcut plugins link toolchain')).toMatchObject({status: 0, stdout: ''});
    const {steps} = JSON.parse((await rig.run(['steps', '--json'])).stdout) as InspectedLaunch;
    expect(steps.find(({step}) => step === 'toolchain/npm-version')?.fate).toMatchObject({kind: 'asked'});
    const first = await rig.run(['run', '--', 'sh', '-c', 'echo "$NPM_VERSION"']);
    const second = await rig.run(['run', '--', 'sh', '-c', 'echo "$NPM_VERSION"']);
    expect(first.stdout).toMatch(/^\d+\.\d+\.\d+/);
    expect(second).toEqual(first);
    expect((await rig.records()).map((record) => record.steps.map(({step, state}) => [step, state]))).toEqual([
      [['toolchain/npm-version', 'read']],
      [['toolchain/npm-version', 'fresh']],
    ]);
    expect((await rig.run(['profile'])).stdout).toContain('toolchain/npm-version');
    expect(await offline(rig, 'bootcut plugins unlink toolchain')).toMatchObject({status: 0});
    expect((await rig.run(['steps', '--json'])).stdout).not.toContain('toolchain');
  });

  it('makes one that works with a daemon, and without a bootcut in its own reach', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.run(['plugins', 'create', 'toolchain', '--directory', join(rig.root, 'far', 'away')]);
    await rm(join(rig.root, 'far', 'away', 'node_modules'), {recursive: true});
    await offline(rig, `bootcut plugins link ${join(rig.root, 'far', 'away')} --no-install`);
    await rig.startDaemon();
    await rig.run(['run', '--', 'true']);
    await rig.run(['run', '--', 'true']);
    expect(await rig.lastRecord()).toMatchObject({
      via: 'daemon',
      steps: [{step: 'toolchain/npm-version', state: 'fresh'}],
    });
  });

  it('never writes to a directory that is there, nor takes the name of a bundled plugin', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.run(['plugins', 'create', 'mine']);
    await writeFile(join(rig.dir, 'mine', 'index.js'), 'changed');
    expect((await rig.run(['plugins', 'create', 'mine'])).status).toBe(1);
    expect(await readFile(join(rig.dir, 'mine', 'index.js'), 'utf8')).toBe('changed');
    for (const name of ['git-identity', 'Large', '../up', '-x', 'a b'])
      expect({name, status: (await rig.run(['plugins', 'create', '--', name])).status}).toEqual({name, status: 2});
    expect(await readdir(rig.dir)).toEqual(['mine']);
  });

  it('stands beside the commands of oclif’s own topic', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const help = await rig.run(['plugins', '--help']);
    for (const command of ['plugins create', 'plugins link', 'plugins install', 'plugins uninstall'])
      expect(help.stdout).toContain(command);
    expect(await rig.run(['plugins'])).toMatchObject({status: 0, stdout: 'No plugins installed.\n', stderr: ''});
  });
});
