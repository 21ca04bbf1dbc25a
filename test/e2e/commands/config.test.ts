import {mkdirSync} from 'node:fs';
import {chmod, lstat, mkdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {describe, it} from 'vitest';
import {LaunchRig} from '../../rig/launch-rig.js';

interface Listed {
  readonly settings: readonly {readonly name: string; readonly value: unknown; readonly origin: string}[];
  readonly complaints: readonly string[];
}

const fileOf = (rig: LaunchRig): string => join(rig.home, '.config', 'bootcut', 'config.json');

const content = async (rig: LaunchRig): Promise<unknown> => JSON.parse(await readFile(fileOf(rig), 'utf8'));

const put = async (rig: LaunchRig, text: string): Promise<void> => {
  await mkdir(dirname(fileOf(rig)), {recursive: true});
  await writeFile(fileOf(rig), text);
};

describe('the config commands', () => {
  it('write a file that launches go by, private whatever the umask', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const set = await rig.shell('umask 0; bootcut config set verbose yes');
    expect(set).toMatchObject({status: 0, stdout: 'verbose is true now.\n', stderr: ''});
    expect((await stat(fileOf(rig))).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(fileOf(rig)))).mode & 0o777).toBe(0o700);
    expect((await rig.run(['run', '--', 'true'])).stderr).toContain('waited');
    expect((await rig.run(['config', 'path'])).stdout).toBe(`${fileOf(rig)}\n`);
  });

  it('keep names with dots flat, and those of plugins apart', async ({expect}) => {
    await using rig = await LaunchRig.create();
    for (const [name, value] of [
      ['cache', 'off'],
      ['cache.store', 'redis://host:6379'],
      ['without', 'update-check, github-repos'],
      ['plugins.agent-vm.path', '/opt/agent-vm'],
      ['plugins.agent-vm.list', '[1, 2]'],
      ['plugins.other.thing.on', 'true'],
    ] as const) {
      expect(await rig.run(['config', 'set', name, value])).toMatchObject({status: 0, stderr: ''});
    }
    expect(await content(rig)).toEqual({
      cache: false,
      'cache.store': 'redis://host:6379',
      without: ['update-check', 'github-repos'],
      plugins: {'agent-vm': {path: '/opt/agent-vm', list: [1, 2]}, 'other.thing': {on: true}},
    });
    expect((await rig.run(['config', 'get', 'plugins.agent-vm.path'])).stdout).toBe('/opt/agent-vm\n');
    for (const name of [
      'plugins.agent-vm.path',
      'plugins.agent-vm.list',
      'plugins.other.thing.on',
      'without',
      'cache.store',
    ])
      expect(await rig.run(['config', 'unset', name])).toMatchObject({status: 0, stderr: ''});
    expect(await content(rig)).toEqual({cache: false});
    expect((await rig.run(['config', 'unset', 'without'])).stdout).toBe('without was not in the file.\n');
  });

  it('tell where each value comes from', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.run(['config', 'set', 'budget', '2s']);
    const env = {BOOTCUT_NO_CACHE: '1', BOOTCUT_VERBOSE: ''};
    const {settings} = JSON.parse((await rig.run(['config', 'list', '--json'], {env})).stdout) as Listed;
    const of = (name: string): unknown => settings.find((setting) => setting.name === name);
    expect(of('budget')).toMatchObject({value: '2s', default: '4s', origin: 'file'});
    expect(of('cache')).toMatchObject({value: false, origin: 'environment', variable: 'BOOTCUT_NO_CACHE'});
    expect(of('verbose')).toMatchObject({value: false, origin: 'default'});
    expect((await rig.run(['config', 'get', 'budget'], {env: {BOOTCUT_BUDGET: '9s'}})).stdout).toBe('9s\n');
  });

  it('refuse what is no setting or no value for it, and change nothing', async ({expect}) => {
    await using rig = await LaunchRig.create();
    for (const args of [
      ['get', 'nope'],
      ['set', 'nope', '1'],
      ['unset', 'nope'],
      ['set', 'budget', 'soon'],
      ['set', 'notices', 'sometimes'],
      ['set', 'plugins.x', '1'],
    ]) {
      const {status, stdout, stderr} = await rig.run(['config', ...args]);
      expect({args, status, stdout}).toEqual({args, status: 2, stdout: ''});
      expect(stderr).toMatch(/There are|It must be/);
      const asJson = await rig.run(['config', ...args, '--json']);
      expect(asJson.status).toBe(2);
      expect(JSON.parse(asJson.stdout)).toMatchObject({
        error: {reason: expect.stringMatching(/unknown-setting|bad-setting/) as string},
      });
    }
    expect(await lstat(fileOf(rig)).catch(() => 'absent')).toBe('absent');
  });

  it('never write to a file that they cannot understand', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await put(rig, '{"budget": "2s"');
    for (const args of [
      ['set', 'budget', '3s'],
      ['unset', 'budget'],
    ]) {
      const {status, stderr} = await rig.run(['config', ...args]);
      expect(status).toBe(1);
      expect(stderr.replace(/\n [›»] +/g, ' ')).toContain('never overwrites');
    }
    expect(await readFile(fileOf(rig), 'utf8')).toBe('{"budget": "2s"');
    expect((JSON.parse((await rig.run(['config', 'list', '--json'])).stdout) as Listed).complaints).toHaveLength(1);
  });

  it('leave what they do not know in the file as it is', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await put(rig, '{"futureSetting": {"deep": [1]}, "plugins": {"x": {"a": 1}, "odd": 7}, "budget": 5}');
    await rig.run(['config', 'set', 'verbose', 'true']);
    await rig.run(['config', 'set', 'plugins.x.b', 'two']);
    expect(await content(rig)).toEqual({
      futureSetting: {deep: [1]},
      plugins: {x: {a: 1, b: 'two'}, odd: 7},
      budget: 5,
      verbose: true,
    });
  });

  it('write through a link to where the user keeps the file', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const real = join(rig.home, 'dotfiles.json');
    await writeFile(real, '{"budget": "3s"}');
    mkdirSync(dirname(fileOf(rig)), {recursive: true});
    await symlink(real, fileOf(rig));
    await rig.run(['config', 'set', 'verbose', 'true']);
    expect((await lstat(fileOf(rig))).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(real, 'utf8'))).toEqual({budget: '3s', verbose: true});
  });

  it('fail clearly where the file cannot be written', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await mkdir(fileOf(rig), {recursive: true});
    await chmod(fileOf(rig), 0o755);
    const {status, stderr} = await rig.run(['config', 'set', 'budget', '3s']);
    expect(status).toBe(1);
    expect(stderr).toContain(fileOf(rig).slice(0, 20));
    expect((await stat(fileOf(rig))).isDirectory()).toBe(true);
  });

  it('show no password in the address of a store', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const address = 'redis://user:SECRET123@host:6379';
    const outputs = [
      await rig.run(['config', 'set', 'cache.store', address]),
      await rig.run(['config', 'get', 'cache.store']),
      await rig.run(['config', 'get', 'cache.store', '--json']),
      await rig.run(['config', 'list']),
      await rig.run(['config', 'list', '--json']),
    ];
    for (const {stdout, stderr} of outputs) {
      expect(stdout + stderr).toContain('redis://host:6379');
      expect(stdout + stderr).not.toContain('SECRET');
    }
    expect(await content(rig)).toEqual({'cache.store': address});
  });
});
