import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdir} from 'node:fs/promises';
import {delimiter, dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {endProcess, LaunchRig} from '../../rig/launch-rig.js';

/**
 * The native `msb` of the npm package `microsandbox`: 90 MB with its kernel, too large to be a dependency. Named by this
 * variable or on the PATH; without it these tests are skipped. CONTRIBUTING.md says how to get it.
 */
const named = process.env['BOOTCUT_TEST_MSB'] ?? '';
const directories = [...(named === '' ? [] : [dirname(named)]), ...(process.env['PATH'] ?? '').split(delimiter)];
const isThere = directories.some((directory) => spawnSync(join(directory, 'msb'), ['--version']).status === 0);

/** `--debug` makes it say how far it is; "sandbox ready" has been seen in the program's file only, not in a launch. */
const recipe = {
  command: ['msb', 'run', '--no-tty', '--mount-dir', '{cwd}:{cwd}', '--workdir', '{cwd}', '--debug', '../root', '--'],
  milestones: [
    {line: '20', has: 'create_local: starting', name: 'create'},
    {line: '20', has: 'spawn_sandbox: process started', name: 'vm-started', phase: 'boot'},
    {line: '20', has: 'sandbox ready', name: 'sandbox-ready', phase: 'run'},
    {line: 'error: ', name: 'failed'},
  ],
};

describe.runIf(isThere)('a recipe for the real msb', () => {
  let rig: LaunchRig;
  beforeAll(async () => {
    rig = await LaunchRig.create({path: directories.slice(0, 1)});
    await mkdir(join(rig.root, 'root', 'bin'), {recursive: true});
    await rig.run(['config', 'set', 'plugins.recipes.msb', JSON.stringify(recipe)]);
    const bare = {command: ['msb', 'run', './no-such-root', '--']};
    await rig.run(['config', 'set', 'plugins.recipes.bare', JSON.stringify(bare)]);
    await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  it('leaves its words and its status as they are', async ({expect}) => {
    const own = spawnSync('msb', ['run', './no-such-root', '--', 'echo', 'a b'], {
      cwd: rig.dir,
      env: rig.environment(),
    });
    expect(own.status).toBe(1);
    expect(await rig.run(['run', '--runtime', 'bare', '--', 'echo', 'a b'])).toMatchObject({
      status: own.status,
      stdout: own.stdout.toString(),
      stderr: own.stderr.toString(),
    });
  });

  it('shows how far its boot came when the VM dies in it', async ({expect}) => {
    const launch = rig.start(['run', '--runtime', 'msb', '--', '/bin/true']);
    const ended = once(launch, 'close');
    let seen = '';
    let killed = false;
    // Without virtualization it takes msb 12 to 40 s to give up; a VM that ends sooner ends the wait.
    launch.stderr?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const pid = Number(/waiting for agent socket .*pid=(\d+)\n/.exec(seen)?.[1] ?? 0);
      if (killed || pid < 2) return;
      killed = true;
      endProcess(pid);
    });
    launch.stdout?.resume();
    await ended;
    expect(seen).toContain('error: failed to start');
    const record = await rig.lastRecord();
    expect(record).toMatchObject({runtime: 'msb', target: 'true', outcome: {kind: 'exited', code: 1}});
    expect(record.milestones.map(({name}) => name)).toEqual(['create', 'vm-started', 'failed']);
    const [, preBoot, boot, run] = record.phases;
    expect(boot?.from).toBe(record.milestones[1]?.at);
    expect(boot?.to).toBe(run?.to);
    expect(preBoot?.to).toBe(boot?.from);
  });
});
