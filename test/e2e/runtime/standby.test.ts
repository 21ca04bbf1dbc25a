import {mkdir, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import type {StandbyState} from '../../../src/protocol/asks.js';
import {linkKeptRuntime} from '../../rig/kept-runtime.js';
import {fronts, LaunchRig} from '../../rig/launch-rig.js';

let rig: LaunchRig;
beforeAll(async () => {
  rig = await LaunchRig.create();
  await linkKeptRuntime(rig);
  await rig.startDaemon();
});
afterAll(async () => await rig[Symbol.asyncDispose]());

const launch = async (env: Readonly<Record<string, string>> = {}, cwd?: string): Promise<string> =>
  (await rig.run(['run', '--runtime', 'kept', '--', 'x'], {env, ...(cwd === undefined ? {} : {cwd})})).stdout.trim();
const start = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const {stdout, stderr} = await rig.run(['standby', 'start', '--runtime', 'kept'], {env});
  return (stdout + stderr).replaceAll(/\s+(?:›\s+)?/g, ' ');
};
const list = async (): Promise<readonly StandbyState[]> =>
  (JSON.parse((await rig.run(['standby', 'list', '--json'])).stdout) as {standbys: readonly StandbyState[]}).standbys;
/** The daemon tells nobody when a standby is ready by itself, so the test asks again. */
const ready = async (): Promise<StandbyState> => {
  for (;;) {
    const found = (await list()).find(({state, place}) => state === 'ready' && place === rig.dir);
    if (found !== undefined) return found;
  }
};
const isGone = async (pid: number): Promise<void> => {
  while ((await rig.shell(`kill -0 ${pid} 2>/dev/null && echo there || true`)).stdout !== '')
    await new Promise((resolve) => setTimeout(resolve, 20)); // not our child
};

describe('standbys', () => {
  it.for(fronts.filter(({daemon}) => daemon))(
    'a launch takes the one that waits for it, $front',
    async ({env}, {expect}) => {
      expect(await start()).toContain(`ready for the next launch in ${rig.dir}`);
      const {pid} = await ready();
      expect(await launch(env)).toBe(`standby ${pid}`);
      expect((await rig.lastRecord()).standby).toBe(true);
      await isGone(pid);
    },
  );

  it('after a launch the next one of its project finds one, and only that project', async ({expect}) => {
    expect(await launch()).toBe('booted');
    const kept = await ready();
    expect(kept).toMatchObject({place: rig.dir, form: 'paused', memoryKb: 2048, bootMs: 12});
    const elsewhere = join(rig.root, 'elsewhere');
    await mkdir(elsewhere);
    expect(await launch({}, elsewhere)).toBe('booted');
    expect(await launch()).toBe(`standby ${kept.pid}`);
  });

  it('two launches at once never get the same one', async ({expect}) => {
    await start();
    const got = await Promise.all([launch(), launch(), launch()]);
    expect(got.filter((line) => line.startsWith('standby'))).toHaveLength(1);
    expect(got.filter((line) => line === 'booted')).toHaveLength(2);
    await rig.run(['standby', 'drop']);
  });

  it('one of another image is nobody’s, and goes once its project is launched with the new one', async ({expect}) => {
    const project = join(rig.root, 'of-another-image');
    await mkdir(project);
    await rig.run(['standby', 'start', '--runtime', 'kept'], {env: {IMAGE: 'old'}, cwd: project});
    const old = (await list()).find(({place}) => place === project);
    expect(old).toMatchObject({state: 'ready'});
    expect(await launch({IMAGE: 'new'}, project)).toBe('booted');
    await isGone(old?.pid ?? 0);
  });

  it('one that cannot boot says so, and is written down', async ({expect}) => {
    const said = await start({KEEP: 'fails', IMAGE: 'broken'});
    expect(said).toContain('ended before it was ready');
    expect(said).not.toContain('    at ');
    expect((await rig.shell(`cat ${rig.state}/log/standby.log`)).stdout).toContain('no kernel');
  });

  it('one that is larger than the budget is not begun', async ({expect}) => {
    expect(await start({MEMORY: '600', IMAGE: 'large'})).toContain(
      'needs 600 MiB, the setting standby.memory allows 512',
    );
  });

  it('are ended by `standby drop`, by the setting, and when the daemon stops', async ({expect}) => {
    await rig.run(['standby', 'drop']);
    await start();
    const first = await ready();
    expect((await rig.run(['standby', 'drop', '--place', rig.dir])).stdout).toBe('Ended 1 standby.\n');
    await isGone(first.pid);
    await start();
    const second = await ready();
    await rig.run(['config', 'set', 'standby', 'false']);
    expect(await launch()).toBe(`standby ${second.pid}`); // there is one, so it is used
    await rig.run(['config', 'unset', 'standby']);
    await start();
    const third = await ready();
    await rig.run(['daemon', 'stop']);
    await isGone(third.pid);
    expect((await rig.shell(`find ${rig.root} -name 'standby-*'`)).stdout).toBe('');
  });

  it('leave when the daemon is killed hard', async () => {
    await start(); // starts a daemon, too
    const {pid} = await ready();
    for (const daemon of await rig.daemons()) process.kill(daemon, 'SIGKILL');
    await isGone(pid);
  });

  it('are not used by a launch that wants none, and the list needs no daemon', async ({expect}) => {
    await start();
    const {stdout} = await rig.run(['run', '--runtime', 'kept', '--without', 'standby', '--', 'x']);
    expect(stdout).toBe('booted\n');
    await rig.run(['daemon', 'stop']);
    expect((await rig.run(['standby', 'list'])).stdout).toBe('No VM is kept booted.\n');
    expect(await rig.daemons()).toEqual([]);
    expect(await readdir(rig.state)).not.toContain('daemon.sock');
  });

  it('a runtime that keeps none says so', async ({expect}) => {
    const {stdout, status} = await rig.run(['standby', 'start', '--runtime', 'process', '--json']);
    expect(stdout).toContain('the runtime process offers none');
    expect(status).toBe(1);
  });
});

describe('standby hook', () => {
  it('has a VM booted for the project that bash changes to, and says nothing', async ({expect}) => {
    await rig.run(['standby', 'drop']);
    const project = join(rig.root, 'hooked');
    await mkdir(join(project, '.git'), {recursive: true});
    const script = `eval "$(bootcut standby hook bash)"; eval "$PROMPT_COMMAND"; cd ${project}; eval "$PROMPT_COMMAND"; cd /; eval "$PROMPT_COMMAND"; wait`;
    expect(await rig.shell(script, {env: {BOOTCUT_RUNTIME: 'kept'}})).toMatchObject({
      stdout: '',
      stderr: '',
      status: 0,
    });
    for (;;) {
      const found = (await list()).filter(({state}) => state !== 'taken');
      if (found.length === 0) continue;
      expect(found.map(({place}) => place)).toEqual([project]);
      break;
    }
  });
});
