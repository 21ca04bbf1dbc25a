import {execFileSync, spawnSync} from 'node:child_process';
import {statfsSync} from 'node:fs';
import {mkdir, readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {canRunGuests, collect, type Ended, VmBench} from './vm-bench.js';

/* Templates on a small disk of the test's own, which only root may mount. */
describe.skipIf(!canRunGuests() || process.getuid?.() !== 0)('a template on a disk that is full', () => {
  let bench: VmBench;
  let place: string;
  beforeAll(async () => {
    bench = await VmBench.create();
    place = join(bench.root, 'template');
    await mkdir(place);
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  /** Runs `act` with a new file system for the template; undefined where none can be mounted. */
  const onDisk = async <T>(options: string, act: () => Promise<T>): Promise<T | undefined> => {
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place]).status !== 0) return undefined;
    try {
      return await act();
    } finally {
      execFileSync('umount', ['--lazy', place]);
      await mkdir(place, {recursive: true});
    }
  };
  /** `bootcut-vm keep`, told to leave at once where it would wait. `meanwhile` runs beside it. */
  const save = async (meanwhile: () => Promise<void> = async () => undefined): Promise<Ended> => {
    const child = bench.startKeeper(['--form', 'saved', ...bench.template]);
    const ended = collect(child);
    await meanwhile();
    return await ended;
  };
  const usedMebibytes = (): number => {
    const {blocks, bfree, bsize} = statfsSync(place);
    return ((blocks - bfree) * bsize) / 1024 / 1024;
  };

  it('is not begun where it would not fit', async ({expect, skip}) => {
    const ended = await onDisk('size=64M', () => save());
    if (ended === undefined) return skip('no file system can be mounted here');
    expect(ended.stderr).toBe(`bootcut: ${place}: no room for a saved VM: 160 MiB are needed, 64 MiB are free\n`);
    expect(ended.status).toBe(125);
  });

  it('is given up when the disk fills while its guest boots, and nothing of it stays', async ({expect, skip}) => {
    const result = await onDisk('size=200M', async () => {
      const ended = await save(async () => {
        while (usedMebibytes() < 8) await wait(5);
        spawnSync('dd', ['if=/dev/zero', `of=${join(place, 'filler')}`, 'bs=64k']);
      });
      await rm(join(place, 'filler'));
      return {ended, left: await readdir(place), used: usedMebibytes()};
    });
    if (result === undefined) return skip('no file system can be mounted here');
    expect(result.ended.stderr).toContain("bootcut: qemu: the disk is full: the VM's memory cannot be saved\n");
    expect(result.ended.status).not.toBe(0);
    expect(result).toMatchObject({left: [], used: 0});
  });

  it('is given up when there is no place for its last file, and a launch boots', async ({expect, skip}) => {
    // One for the directory, one for the guest's memory, none for the rest of the machine.
    const result = await onDisk('size=400M,nr_inodes=2', async () => {
      const ended = await save();
      const launch = await bench.run(['echo', 'hello']);
      return {ended, left: await readdir(place), used: usedMebibytes(), launch};
    });
    if (result === undefined) return skip('no file system can be mounted here');
    expect(result.ended.stderr).toMatch(/^bootcut: qemu: the VM cannot be saved: the disk is full$/m);
    expect(result).toMatchObject({left: [], used: 0, launch: {status: 0, stderr: ''}});
    expect(String(result.launch.stdout)).toBe('hello\n');
    expect(await bench.milestones()).toContain('kernel-entered');
  });
});
