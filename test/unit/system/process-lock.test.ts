import {mkdirSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {lockScope} from '../../../src/system/process-lock.js';
import {runScript} from '../../rig/script-process.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const never = new AbortController().signal;

/** Takes the lock, says so, and lets go when told. */
const holder = `
  const {lockScope} = await ours('system/process-lock');
  const lock = await lockScope(args[0]).tryAcquire(args[1]);
  say(lock === undefined ? 'refused' : 'held');
  process.stdin.resume();
  await heard();
  lock?.release();
  say('released');
  await heard();
`;

describe('a process lock', () => {
  it('is held by one of ten processes that try at once', async ({expect}) => {
    const directory = await temporaryDirectory('lock');
    const processes = Array.from({length: 10}, () => runScript(holder, [directory, 'a']));
    const said = await Promise.all(processes.map((one) => one.line()));
    expect(said.filter((line) => line === 'held')).toHaveLength(1);
    await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
  });

  it('is free again when its holder is killed, and whoever waits is told', async ({expect}) => {
    const directory = await temporaryDirectory('lock');
    const scope = lockScope(directory);
    await using other = runScript(holder, [directory, 'a']);
    expect(await other.line()).toBe('held');
    expect(await scope.tryAcquire('a')).toBeUndefined();
    const released = scope.released('a', never);
    other.kill('SIGKILL');
    await released;
    const lock = await scope.tryAcquire('a');
    expect(lock).toBeDefined();
    lock?.release();
  });

  it('is free again when its holder lets go, and whoever waits is told', async ({expect}) => {
    const directory = await temporaryDirectory('lock');
    const scope = lockScope(directory);
    await using other = runScript(holder, [directory, 'a']);
    await other.line();
    const waiting = [scope.released('a', never), scope.released('a', never)];
    other.tell('go');
    await Promise.all(waiting);
    expect(await other.line()).toBe('released');
    const lock = await scope.tryAcquire('a');
    expect(lock).toBeDefined();
    lock?.release();
  });

  it('tells at once that a lock nobody holds is free', async () => {
    const scope = lockScope(await temporaryDirectory('lock'));
    await scope.released('nobody', never);
  });

  it('lets a waiter go when its signal aborts, also one that has aborted before', async ({expect}) => {
    const scope = lockScope(await temporaryDirectory('lock'));
    const lock = await scope.tryAcquire('a');
    const controller = new AbortController();
    const waiting = scope.released('a', controller.signal);
    controller.abort();
    await waiting;
    await scope.released('a', AbortSignal.abort());
    expect(await scope.tryAcquire('a')).toBeUndefined();
    lock?.release();
  });

  it('may be let go twice', async () => {
    const scope = lockScope(await temporaryDirectory('lock'));
    const lock = await scope.tryAcquire('a');
    lock?.release();
    lock?.release();
  });

  it('is never shared by two directories, and always by two spellings of one', async ({expect}) => {
    const [one, two] = [await temporaryDirectory('lock'), await temporaryDirectory('lock')];
    symlinkSync(one, join(two, 'link'));
    mkdirSync(join(one, 'sub'));
    const lock = await lockScope(one).tryAcquire('a');
    const other = await lockScope(two).tryAcquire('a');
    expect(other).toBeDefined();
    expect(await lockScope(join(two, 'link')).tryAcquire('a')).toBeUndefined();
    expect(await lockScope(`${one}/sub/../.`).tryAcquire('a')).toBeUndefined();
    lock?.release();
    other?.release();
  });

  it('is another one for another name', async ({expect}) => {
    const scope = lockScope(await temporaryDirectory('lock'));
    const locks = [await scope.tryAcquire('a'), await scope.tryAcquire('b')];
    expect(locks).not.toContain(undefined);
    for (const lock of locks) lock?.release();
  });

  it('does not keep a process alive', async ({expect}) => {
    const directory = await temporaryDirectory('lock');
    await using one = runScript(
      `const {lockScope} = await ours('system/process-lock'); await lockScope(args[0]).tryAcquire('a'); say('held');`,
      [directory],
    );
    expect(await one.line()).toBe('held');
    expect((await one.ended).code).toBe(0);
  });
});
