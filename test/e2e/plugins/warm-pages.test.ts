import {readdir, readFile, stat, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {OptimizationRecord} from '../../../src/model/record.js';
import type {SavingsReport} from '../../../src/views/savings.js';
import {LaunchRig} from '../../rig/launch-rig.js';

/** A program that lives long enough to be looked at, and reads a file of its own. */
const target = ['node', 'program.cjs', 'data.bin'];
const program = `
const {openSync} = require('node:fs');
openSync(process.argv[2], 'r');
setTimeout(() => console.log('done'), 700);
`;

const rigWith = async (memory: number | undefined): Promise<LaunchRig> => {
  const rig = await LaunchRig.create();
  await writeFile(join(rig.dir, 'program.cjs'), program);
  await writeFile(join(rig.dir, 'data.bin'), Buffer.alloc(200_000));
  if (memory !== undefined) await rig.run(['config', 'set', 'plugins.warm-pages.memory', String(memory)]);
  await rig.run(['config', 'set', 'holdback', '0']);
  await rig.startDaemon();
  return rig;
};

const directoryOf = (rig: LaunchRig): string =>
  join(rig.home, '.cache', 'bootcut', 'optimizations', 'warm-pages', 'pages');

const lists = async (rig: LaunchRig): Promise<readonly string[]> => await readdir(directoryOf(rig)).catch(() => []);

const launched = async (rig: LaunchRig, options: readonly string[] = []): Promise<OptimizationRecord | undefined> => {
  const {stdout} = await rig.served(['run', ...options, '--', ...target]);
  if (stdout !== 'done\n') throw new Error(`the target said ${stdout}`);
  await rig.run(['savings']); // once that has answered, what has ended is learnt from
  return (await rig.lastRecord()).optimizations?.find(({name}) => name === 'warm-pages/pages');
};

describe('warm-pages', () => {
  it('does nothing unless memory is set for it', async ({expect}) => {
    await using rig = await rigWith(undefined);
    expect(await launched(rig)).toBeUndefined();
    expect(await lists(rig)).toEqual([]);
  });

  it('learns what a launch reads and reads it ahead beside the next', {timeout: 90_000}, async ({expect}) => {
    await using rig = await rigWith(256);
    expect(await launched(rig)).toMatchObject({state: 'learning', label: 'node program.cjs'});
    await expect.poll(async () => (await lists(rig)).length).toBe(1);
    const path = join(directoryOf(rig), (await lists(rig))[0] ?? '');
    const text = await readFile(path, 'utf8');
    const names = new Set(text.split('\0').map((entry) => entry.split(' ').slice(4).join(' ')));
    expect(names).toContain(join(rig.dir, 'data.bin'));
    expect([...names].some((name) => name.endsWith('/node'))).toBe(true);
    expect(text).not.toContain('console.log'); // names and places, never what is in the files
    expect((await stat(path)).mode & 0o777).toBe(0o600);

    let record = await launched(rig);
    while (record?.state === 'held-back') record = await launched(rig);
    expect(record?.state).toBe('used');
    expect(record?.said).toMatchObject({stale: 0});
    const said = record?.said as {readonly files: number; readonly asked: number};
    expect(said.files).toBe(names.size - 1); // the text ends with a zero
    expect(said.asked).toBeGreaterThan(1_000_000);

    expect(await launched(rig, ['--without', 'warm-pages'])).toMatchObject({state: 'left-out'});
  });

  it('learns from launches with --until too, and compares them by when they were ready', {timeout: 90_000}, async ({
    expect,
  }) => {
    await using rig = await rigWith(256);
    const until = ['--until', 'up=log:done'];
    expect(await launched(rig, until)).toMatchObject({state: 'learning'});
    await expect.poll(async () => (await lists(rig)).length).toBe(1);
    expect(await launched(rig, until)).toMatchObject({state: 'used'});
    const record = await rig.lastRecord();
    expect([record.via, record.milestones.map(({name}) => name)]).toEqual(['daemon', ['up']]);
    const {optimizations} = JSON.parse((await rig.run(['savings', '--json'])).stdout) as SavingsReport;
    expect(optimizations[0]).toMatchObject({name: 'warm-pages/pages', endpoint: 'ready', used: 1});
  });

  it('learns anew when most of its files have changed', {timeout: 90_000}, async ({expect}) => {
    await using rig = await rigWith(256);
    await launched(rig);
    await expect.poll(async () => (await lists(rig)).length).toBe(1);
    const path = join(directoryOf(rig), (await lists(rig))[0] ?? '');
    const entry = (await readFile(path, 'utf8')).split('\0').find((one) => one.endsWith('/data.bin')) ?? '';
    await writeFile(path, `${entry}\0`);
    await utimes(join(rig.dir, 'data.bin'), 1, 1);
    let record = await launched(rig);
    while (record?.state === 'held-back') record = await launched(rig);
    expect(record?.said).toMatchObject({files: 0, stale: 1});
    expect((await launched(rig))?.state).toBe('learning');
  });
});
