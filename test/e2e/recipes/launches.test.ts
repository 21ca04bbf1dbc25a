import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {LaunchRig, planners} from '../../rig/launch-rig.js';
import {linkPlugin} from '../../rig/linked-plugin.js';

/** A launcher that says what it does, as microVM and container launchers do. */
const launcher = `#!/bin/sh
echo "pulling $1" >&2
echo "Starting sandbox" >&2
shift
echo "[agent] ready" >&2
"$@"
status=$?
echo "Stopping sandbox" >&2
exit $status
`;

const recipe = {
  command: ['box', 'image', '{command}'],
  env: {BOX: '{cwd}'},
  milestones: [
    {line: 'pulling ', name: 'pulling'},
    {line: 'Starting', name: 'starting', phase: 'boot'},
    {line: '[', has: 'ready', name: 'ready', phase: 'run'},
    {line: 'Stopping', name: 'stopping', phase: 'teardown'},
  ],
  pass: ['git-identity'],
};

const words = 'pulling image\nStarting sandbox\n[agent] ready\n';

const set = async (rig: LaunchRig, name: string, value: unknown): Promise<void> => {
  const {status, stderr} = await rig.run(['config', 'set', `plugins.recipes.${name}`, JSON.stringify(value)]);
  if (status !== 0) throw new Error(stderr);
};

describe.each(planners)('a recipe, $front:', ({daemon, env}) => {
  let rig: LaunchRig;
  beforeAll(async () => {
    rig = await LaunchRig.create({env});
    await rig.script('box', launcher, join(rig.root, 'bin'));
    await set(rig, 'box', recipe);
    if (daemon) await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  const path = (): string => `${join(rig.root, 'bin')}:${rig.env['PATH'] ?? ''}`;

  it('runs the command through its launcher, and its lines become phases', async ({expect}) => {
    const command = ['sh', '-c', 'printf "%s|" "$BOX" "$GIT_AUTHOR_NAME" "$@"; echo own >&2; exit 9', 'sh', '', 'a b'];
    const identity = {GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ann'};
    const email = {GIT_CONFIG_KEY_1: 'user.email', GIT_CONFIG_VALUE_1: 'ann@example.invalid'};
    const options = {env: {PATH: path(), ...identity, ...email}};
    const launch = ['run', '--runtime', 'box', '--', ...command];
    const {status, stdout, stderr} = daemon ? await rig.served(launch, options) : await rig.run(launch, options);
    expect({status, stdout, stderr}).toEqual({
      status: 9,
      stdout: `${rig.dir}|Ann||a b|`,
      stderr: `${words}own\nStopping sandbox\n`,
    });
    const record = await rig.lastRecord();
    expect(record).toMatchObject({runtime: 'box', verb: 'run', target: 'sh', via: daemon ? 'daemon' : 'in-process'});
    const at = Object.fromEntries(record.milestones.map(({name, at: moment}) => [name, moment]));
    expect(Object.keys(at)).toEqual(['pulling', 'starting', 'ready', 'stopping']);
    const starts = Object.fromEntries(record.phases.map(({name, from}) => [name, from]));
    expect(starts).toMatchObject({boot: at['starting'], run: at['ready'], teardown: at['stopping']});
    expect(record.steps.map(({step}) => step)).toContain('git-identity/git');
  });

  it('that fails says so and starts nothing', async ({expect}) => {
    await set(rig, 'broken', {command: ['box', '{cdw}']});
    await set(rig, 'gone', {command: ['no-such-launcher']});
    const launch = async (...args: readonly string[]): Promise<string> => {
      const {status, stdout, stderr} = await rig.run([...args, '--', 'sh', '-c', 'echo on the host'], {
        env: {PATH: path()},
      });
      return `${status} ${stdout}${stderr}`;
    };
    expect(await launch('run', '--runtime', 'broken')).toMatch(
      /^125 bootcut: the setting plugins\.recipes\.broken\.command has \{cdw\} in '\{cdw\}'; there are .*\n$/,
    );
    expect(await launch('run', '--runtime', 'gone')).toBe(
      '127 bootcut: the recipe gone starts no-such-launcher, which is not on the PATH of this launch\n',
    );
    expect(await launch('shell', '--runtime', 'box')).toBe(
      '2 bootcut shell: box is a recipe, which runs commands: bootcut run --runtime box -- CMD\n',
    );
    const names = 'process, agent-vm, qemu, box, broken, gone';
    for (const unknown of ['bocks', 'recipes'])
      expect(await launch('run', '--runtime', unknown)).toBe(
        `2 bootcut run: there is no runtime ${unknown}; there are: ${names}\nSee 'bootcut run --help'.\n`,
      );
  });
});

describe('recipes', () => {
  it('are asked for by setting and variable as well, and change with the settings', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    await set(rig, 'box', {command: ['env', 'A=1']});
    await rig.run(['config', 'set', 'runtime', 'box']);
    const launch = async (env = {}): Promise<string> => (await rig.run(['run', 'sh', '-c', 'echo $A'], {env})).stdout;
    expect(await launch()).toBe('1\n');
    expect(await launch({BOOTCUT_RUNTIME: 'process'})).toBe('\n');
    await set(rig, 'box', {command: ['env', 'A=2']});
    expect(await launch()).toBe('2\n');
    // Nothing waits for an identity that the recipe does not hand on.
    expect((await rig.lastRecord()).steps.map(({step}) => step)).not.toContain('git-identity/git');
  });

  it('are told by doctor, profile and steps under their names', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await set(rig, 'box', {command: ['env'], pass: ['git-identity']});
    await set(rig, 'gone', {command: ['no-such-launcher']});
    await rig.run(['run', '--no-daemon', '--runtime', 'box', '--', 'true']);
    expect((await rig.run(['profile'])).stdout).toContain('runtime box, ');
    expect((await rig.run(['steps', '--runtime', 'box', '--json'])).stdout).toMatch(/"runtime": "box"/);
    const {stdout} = await rig.run(['doctor']);
    expect(stdout).toMatch(/^ok +recipes: box +\/\S*\/env$/m);
    expect(stdout).toMatch(
      /^FAULT +recipes: gone +it starts no-such-launcher, which is not on the PATH of this launch$/m,
    );
  });

  it('are no privilege of ours: a plugin from elsewhere can take names from its settings too', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(
      rig,
      'named',
      `import {definePlugin, defineRuntime} from 'bootcut/plugin';
export default definePlugin({
  name: 'named',
  runtimes: [defineRuntime({
    name: 'named',
    verbs: [],
    variants: (settings) => Object.keys(settings).map((name) => ({name})),
    plan: ({runtime, settings}) => [{kind: 'prefix-args', args: ['env', 'N=' + runtime + settings[runtime]]}],
  })],
});`,
    );
    await rig.run(['config', 'set', 'plugins.named.one', '1']);
    await rig.run(['config', 'set', 'plugins.named.process', '1']);
    const n = async (runtime: string): Promise<string> =>
      (await rig.run(['run', '--no-daemon', '--runtime', runtime, '--', 'sh', '-c', 'echo "$N"'])).stdout;
    expect(await n('one')).toBe('one1\n');
    // A runtime that has its name by itself goes before.
    expect(await n('process')).toBe('\n');
  });
});
