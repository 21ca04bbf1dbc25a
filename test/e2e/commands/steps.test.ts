import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {InspectedLaunch} from '../../../src/model/inspection.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {linkPlugin, lookupPlugin} from '../../rig/linked-plugin.js';

const steps = async (rig: LaunchRig, ...args: readonly string[]): Promise<InspectedLaunch> =>
  JSON.parse((await rig.run(['steps', '--json', ...args])).stdout) as InspectedLaunch;

const fate = (launch: InspectedLaunch, name: string): unknown => launch.steps.find(({step}) => step === name)?.fate;

describe('steps', () => {
  it('shows what would be asked before, and what is stored after a launch', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    await linkPlugin(rig, 'teller', lookupPlugin('teller', `async () => 'told'`));
    const before = await steps(rig);
    expect(before).toMatchObject({verb: 'run', runtime: 'process', cwd: rig.dir, faults: []});
    expect(fate(before, 'teller/answer')).toEqual({kind: 'asked', why: 'never asked with these inputs'});
    expect(before.steps.find(({step}) => step === 'teller/answer')).toMatchObject({
      kind: 'lookup',
      barrier: 'boot',
      limitMs: 3000,
    });
    await rig.run(['run', '--', 'true']);
    expect(fate(await steps(rig), 'teller/answer')).toMatchObject({kind: 'stored', state: 'fresh'});
    expect(fate(await steps(rig, '--no-cache'), 'teller/answer')).toMatchObject({kind: 'asked'});
  });

  it('says of every step that would not run why not', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    await linkPlugin(
      rig,
      'choosy',
      lookupPlugin('choosy', `async () => 'x'`, 'when: (launch) => launch.argv.includes("--please"),'),
    );
    await linkPlugin(
      rig,
      'rotten',
      lookupPlugin('rotten', `async () => 'x'`).replace(
        '(launch) => [launch.cwd]',
        '() => { throw new Error("no key"); }',
      ),
    );
    const launch = await steps(rig, '--without', 'update-check', '--with', 'git-identity/git');
    expect(fate(launch, 'choosy/answer')).toEqual({kind: 'not-needed'});
    expect(fate(launch, 'rotten/answer')).toEqual({kind: 'broken', why: 'no key'});
    expect(fate(launch, 'update-check/image')).toEqual({kind: 'left-out'});
    expect(fate(launch, 'git-identity/github')).toEqual({kind: 'not-used', runtime: 'process'});
    expect(fate(launch, 'git-identity/git')).toMatchObject({kind: 'asked'});
    expect(fate(await steps(rig, '--', 'cmd', '--please'), 'choosy/answer')).toMatchObject({kind: 'asked'});
    expect((await rig.run(['steps'])).status).toBe(1); // rotten
  });

  it('asks nothing, starts nothing and stores nothing', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const marker = join(rig.root, 'asked');
    await linkPlugin(
      rig,
      'teller',
      lookupPlugin('teller', `async () => { appendFileSync(${JSON.stringify(marker)}, 'x'); return 'told'; }`),
    );
    await rig.run(['steps']);
    expect((await rig.shell(`test -e '${marker}'`)).status).toBe(1);
    expect(await rig.daemons()).toEqual([]);
    expect(await rig.records()).toEqual([]);
    expect((await rig.run(['cache', 'list'])).stdout).toBe('No answer is stored.\n');
  });

  it('says that a step rests after a failure', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    await linkPlugin(rig, 'moody', lookupPlugin('moody', `async () => { throw new Error('not today'); }`));
    await rig.run(['run', '--', 'true']);
    expect(fate(await steps(rig), 'moody/answer')).toMatchObject({kind: 'resting', why: 'not today'});
    expect((await rig.run(['steps'])).stdout).toContain('not today');
  });

  it('shows a plugin that cannot be loaded, and ends with 1', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    await linkPlugin(rig, 'rotten', 'this is not javascript');
    const {status, stdout, stderr} = await rig.run(['steps']);
    expect({status, stderr}).toEqual({status: 1, stderr: ''});
    expect(stdout).toContain('! plugin rotten:');
  });

  it('takes a word that is no verb, and a flag that is none, as misuse', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const nonsense = await rig.run(['steps', 'fly']);
    expect(nonsense.status).toBe(2);
    expect(nonsense.stderr).toContain('shell');
    expect((await rig.run(['steps', '--wings'])).status).toBe(2);
    expect((await rig.run(['steps', '--budget', 'soon'])).status).toBe(2);
  });

  it('goes by the configuration file and the environment', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await mkdir(join(rig.home, '.config', 'bootcut'), {recursive: true});
    await writeFile(join(rig.home, '.config', 'bootcut', 'config.json'), '{"with": ["git-identity"]}');
    expect(fate(await steps(rig), 'git-identity/git')).toMatchObject({kind: 'asked'});
    const other = await rig.run(['steps', '--json'], {env: {BOOTCUT_WITHOUT: 'git-identity/git'}});
    expect(fate(JSON.parse(other.stdout) as InspectedLaunch, 'git-identity/git')).toEqual({kind: 'left-out'});
  });
});
