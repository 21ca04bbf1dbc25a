import {readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {OptimizationRecord} from '../../../src/model/record.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {requireProgram, run} from '../../rig/program.js';

const fincore = requireProgram('fincore', 'util-linux');
const page = 4096;
const mebibyte = 1_048_576;

/** Opens a file and reads nothing of it: what of it is in memory was read ahead. Lives long enough to be looked at. */
const script = 'exec 3<data.bin; sleep 0.7; echo done';
const size = 4 * mebibyte;

/** It is read at the disk's idle priority: on a machine whose disk is busy that takes its time. */
const patience = {timeout: 60_000};

interface ColdRig extends AsyncDisposable {
  readonly rig: LaunchRig;
  /** Takes the file out of the page cache. */
  readonly makeCold: () => Promise<void>;
  /** Bytes of the file in the page cache, as the kernel says (mincore). */
  readonly resident: () => Promise<number>;
  readonly launch: () => Promise<OptimizationRecord | undefined>;
  readonly enter: () => Promise<unknown>;
  /** Entries of the list that was learnt. */
  readonly list: () => Promise<readonly {readonly length: number; readonly path: string}[]>;
}

const coldRig = async (): Promise<ColdRig> => {
  const rig = await LaunchRig.create();
  const data = join(rig.dir, 'data.bin');
  await writeFile(data, Buffer.alloc(size, 1));
  await writeFile(join(rig.dir, 'program.sh'), script);
  for (const [name, value] of [
    ['plugins.warm-pages.memory', '128'],
    ['holdback', '0'],
  ] as const)
    await rig.run(['config', 'set', name, value]);
  await rig.startDaemon();
  const resident = async (): Promise<number> =>
    Number((await run([fincore, '--noheadings', '--output', 'PAGES', data])).stdout) * page;
  return {
    rig,
    resident,
    makeCold: async () => {
      await run(['dd', `of=${data}`, 'conv=notrunc,fdatasync', 'count=0', 'if=/dev/null']); // what is not on disk stays
      await run(['dd', `if=${data}`, 'iflag=nocache', 'count=0']);
      if ((await resident()) !== 0)
        throw new Error(`${data} stays in memory: is this a file system of its own in memory?`);
    },
    launch: async () => {
      const {stdout} = await rig.served(['run', '--', 'sh', 'program.sh']);
      if (stdout !== 'done\n') throw new Error(`the target said ${stdout}`);
      await rig.run(['savings']); // once that has answered, what has ended is learnt from
      return (await rig.lastRecord()).optimizations?.find(({name}) => name === 'warm-pages/pages');
    },
    list: async () => {
      const directory = join(rig.home, '.cache', 'bootcut', 'optimizations', 'warm-pages', 'pages');
      const [name] = await readdir(directory).catch(() => []);
      const text = name === undefined ? '' : await readFile(join(directory, name), 'utf8');
      return text.split('\0').flatMap((entry) => {
        const [, length = '', , , ...path] = entry.split(' ');
        return entry === '' ? [] : [{length: Number(length), path: path.join(' ')}];
      });
    },
    // What the shell's hook runs in a project.
    enter: async () => await rig.run(['standby', 'start']),
    [Symbol.asyncDispose]: async () => await rig[Symbol.asyncDispose](),
  };
};

/** Learnt from, and launched once more since: only then is it known what the next launch will have read ahead. */
const learn = async ({launch, list}: ColdRig): Promise<void> => {
  if ((await launch())?.state !== 'learning') throw new Error('it was not learnt from');
  for (let time = 0; time < 100 && (await list()).length === 0; time += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  if ((await launch())?.state !== 'used') throw new Error('it was not used');
};

describe('pages of a launch that is expected', {timeout: 180_000}, () => {
  it('are in memory before it begins, and not where it is not expected', async ({expect}) => {
    await using cold = await coldRig();
    await learn(cold);
    await cold.rig.run(['config', 'set', 'expect', 'false']);
    await cold.makeCold();
    await cold.enter();
    expect(await cold.resident()).toBe(0);

    await cold.rig.run(['config', 'set', 'expect', 'true']);
    await cold.enter();
    await expect.poll(cold.resident, patience).toBe(size); // nothing runs: the daemon has read ahead
    const record = await cold.launch();
    expect(record?.ahead).toBeGreaterThan(0);
    expect(record?.said).toMatchObject({stale: 0});
    expect((record?.said as {read: number}).read).toBeGreaterThanOrEqual(size);
  });

  it('are no more than the memory that is set for them', async ({expect}) => {
    await using cold = await coldRig();
    await learn(cold);
    const others = (await cold.list()).filter(({path}) => !path.endsWith('/data.bin'));
    const needed = others.reduce((sum, {length}) => sum + length, 0);
    const memory = Math.ceil(needed / mebibyte) + 1; // what comes before the file, and a part of that
    const budget = memory * mebibyte;
    await cold.rig.run(['config', 'set', 'plugins.warm-pages.memory', String(memory)]);
    // Or it would be expected behind itself, and read before the cache is cold.
    await cold.rig.run(['config', 'set', 'expect', 'false']);
    await cold.launch();
    await cold.rig.run(['config', 'set', 'expect', 'true']);
    await cold.makeCold();
    await cold.enter();
    await expect.poll(cold.resident, patience).toBeGreaterThan(0);
    const {said} = (await cold.launch()) ?? {};
    expect((said as {asked: number}).asked).toBeLessThanOrEqual(budget);
    expect(await cold.resident()).toBeLessThanOrEqual(budget - needed);
  });
});
