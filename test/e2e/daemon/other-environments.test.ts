import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {LaunchRig, quoted, type RunOptions} from '../../rig/launch-rig.js';
import {installAs} from '../commands/other-build.js';

/** As in a desktop's session, and as under cron. */
const environments = async (rig: LaunchRig): Promise<readonly RunOptions[]> => {
  const runtime = join(rig.root, 'run-user');
  await mkdir(runtime, {mode: 0o700});
  return [{env: {XDG_RUNTIME_DIR: runtime}}, {}];
};

const pidOf = async (rig: LaunchRig, options: RunOptions): Promise<number | undefined> => {
  const {stdout} = await rig.run(['daemon', 'status', '--json'], options);
  return (JSON.parse(stdout) as {readonly pid?: number}).pid;
};

describe('one state directory, seen with and without XDG_RUNTIME_DIR', () => {
  it.for([0, 1])('has one daemon, which serves both, whoever starts it (%i)', async (first, {expect}) => {
    await using rig = await LaunchRig.create();
    const seen = await environments(rig);
    const [starter = {}, other = {}] = first === 0 ? seen : [...seen].reverse();
    expect((await rig.run(['daemon', 'start'], starter)).status).toBe(0);
    const pid = await pidOf(rig, starter);
    await rig.served(['run', '--', 'true'], other);
    expect([await pidOf(rig, starter), await pidOf(rig, other)]).toEqual([pid, pid]);
    expect(await rig.daemons()).toEqual([pid]);
    expect((await rig.run(['daemon', 'stop'], other)).status).toBe(0);
    expect((await rig.run(['daemon', 'start'], other)).stdout).toContain('is ready');
    expect(await pidOf(rig, starter)).toBe(await pidOf(rig, other));
  });

  it('leaves no daemon behind at the other address when a newer build takes over', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const [session = {}, cron = {}] = await environments(rig);
    await rig.run(['daemon', 'start'], session);
    const old = await pidOf(rig, session);
    await rig.run(['daemon', 'start'], cron); // now both addresses lead there
    const newer = installAs(join(rig.root, 'newer'), '99.0.0+9999999999.newer');
    expect((await rig.shell(`${quoted(newer)} daemon start`, cron)).stdout).toContain('is ready');
    while ((await rig.daemons()).length > 1) await new Promise((resolve) => setTimeout(resolve, 50)); // its end is told to nobody
    const [pid] = await rig.daemons();
    expect(pid).not.toBe(old);
    expect([await pidOf(rig, session), await pidOf(rig, cron)]).toEqual([pid, pid]);
  });
});
