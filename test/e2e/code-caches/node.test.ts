import {readdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {LaunchRig} from '../../rig/launch-rig.js';
import {type Finished, run} from '../../rig/program.js';

const optimization = 'node-compile-cache/code';

const stateOf = async (rig: LaunchRig): Promise<string | undefined> =>
  (await rig.lastRecord()).optimizations?.find(({name}) => name === optimization)?.state;

/** A program with something to compile, which says whether node took it from a cache, and what it sees of us. */
const program = `
const {getCompileCacheDir} = require('node:module');
require('./part.js');
console.log(getCompileCacheDir() === undefined ? 'no cache' : 'cache');
console.error('to stderr');
process.exitCode = Number(process.argv[2]);
`;

const part = Array.from({length: 200}, (_, index) => `exports.f${index} = (a) => a + ${index};`).join('\n');

const without = ({stdout, ...rest}: Finished): Finished => ({...rest, stdout: stdout.replace(/no cache|cache/, '')});

interface OtherNodes {
  readonly otherNodes: Readonly<Record<string, string>>;
  readonly nodeOf: (version: string) => string | undefined;
}
// A script without types.
const {otherNodes, nodeOf} = (await import(
  new URL('../../../scripts/test-node.mjs', import.meta.url).href
)) as OtherNodes;

describe.each(Object.entries(otherNodes))('node %s', (_, version) => {
  it('fills its cache in one launch, has it in the next ones, and shows nothing of it in any state', {
    timeout: 120_000,
  }, async ({expect}) => {
    const node = nodeOf(version);
    if (node === undefined) throw new Error(`node ${version} cannot be had`);
    await using rig = await LaunchRig.create({env: {BOOTCUT_HOLDBACK: '0'}});
    await writeFile(join(rig.dir, 'tool.js'), program);
    await writeFile(join(rig.dir, 'part.js'), part);
    await rig.startDaemon();
    const command = [node, 'tool.js', '0'];
    const expected = without(await run(command, {cwd: rig.dir, env: rig.environment()}));
    const seen = new Set<string>();
    const until = async (wanted: string, output: RegExp): Promise<void> => {
      for (let launch = 0; launch < 60; launch += 1) {
        const finished = await rig.served(['run', '--', ...command]);
        expect(without(finished)).toEqual(expected);
        const state = (await stateOf(rig)) ?? 'none';
        seen.add(state);
        if (state === wanted && output.test(finished.stdout)) return;
      }
      throw new Error(`never ${wanted}: ${[...seen].join(', ')}`);
    };
    await until('used', /^cache/);
    expect([...seen]).toEqual(expect.arrayContaining(['learning', 'used']));
    const store = join(rig.home, '.cache', 'bootcut', 'optimizations', optimization);
    const caches = async (): Promise<readonly string[]> =>
      (await readdir(store, {withFileTypes: true})).filter((entry) => entry.isDirectory()).map(({name}) => name);
    const [key = ''] = await caches();
    // Node itself has to bear what has become of the files; and one that is no directory is not given to it.
    for (const name of await readdir(join(store, key), {recursive: true}))
      await writeFile(join(store, key, name), 'spoilt').catch(() => undefined);
    await until('used', /^cache/);
    await rm(join(store, key), {recursive: true});
    await writeFile(join(store, key), 'a file in its place');
    await until('used', /^cache/);
    await rm(store, {recursive: true});
    await writeFile(store, 'a file in the place of all');
    expect(without(await rig.served(['run', '--', ...command]))).toEqual(expected);
  });
});
