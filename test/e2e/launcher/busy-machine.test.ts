import {existsSync, mkdirSync, rmdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {LaunchRig, launcher} from '../../rig/launch-rig.js';

const [first, second] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** A group whose processes get one millisecond of a processor in 100; undefined where we may make none. */
const slowGroup = (): {readonly add: (pid: number) => void; readonly remove: (pid: number) => void} | undefined => {
  const base = existsSync(join(first, 'cpu.cfs_quota_us')) ? first : second;
  const group = join(base, `bootcut-test-${process.pid}`);
  try {
    mkdirSync(group);
    if (base === first) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), '100000');
      writeFileSync(join(group, 'cpu.cfs_quota_us'), '1000');
    } else writeFileSync(join(group, 'cpu.max'), '1000 100000');
  } catch {
    if (existsSync(group)) rmdirSync(group);
    return undefined;
  }
  const move = (to: string, pid: number): void => writeFileSync(join(to, 'cgroup.procs'), String(pid));
  return {
    add: (pid) => move(group, pid),
    remove: (pid) => {
      move(base, pid);
      rmdirSync(group);
    },
  };
};

const group = existsSync(launcher) ? slowGroup() : undefined;

describe('a daemon that is kept from the processor', () => {
  it.skipIf(group === undefined)('is busy, and not silent (needs a launcher, root and cgroups)', async () => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    await rig.served(['run', '--', 'true']);
    group?.add(pid);
    try {
      // The first one may be served with what the kernel lends; those behind it wait until that has been paid back.
      for (let count = 0; count < 4; count += 1) {
        expect(await rig.run(['run', '--', 'sh', '-c', 'exit 7'])).toMatchObject({status: 7, stderr: ''});
      }
    } finally {
      group?.remove(pid);
    }
    const records = (await rig.records()).slice(-4);
    expect(records.map(({front, via}) => `${front} ${via}`)).toEqual(Array<string>(4).fill('launcher daemon'));
  });
});
