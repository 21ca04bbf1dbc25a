import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {SavingsReport} from '../../../src/views/savings.js';
import {LaunchRig, planners} from '../../rig/launch-rig.js';
import {linkPlugin} from '../../rig/linked-plugin.js';

/**
 * An optimization for every launch: a file that preparing makes. `learn` and `use` set a variable that the target shows;
 * preparing counts itself in `prepared.log`.
 */
const archive = (more = ''): string => `
import {definePlugin} from 'bootcut/plugin';
import {appendFileSync, existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
const set = (value) => [{kind: 'set-env', name: 'ARCHIVE', value}];
export default definePlugin({
  name: 'test-archive',
  optimizations: [{
    name: 'file',
    summary: 'a file',
    plan: (launch, {directory}) => ({
      subject: [launch.cwd],
      label: 'it',
      learn: set('learning'),
      ...(existsSync(join(directory, 'done')) ? {use: set('used'), prepared: 'one'} : {}),
    }),
    prepare: async (launch, {directory}) => {
      appendFileSync(join(directory, 'prepared.log'), launch.id + '\\n');
      await new Promise((resolve) => setTimeout(resolve, 300));
      ${more}
      writeFileSync(join(directory, 'done'), '');
      return {bytes: 4096, detail: 'made'};
    },
  }],
});
`;

const show = ['run', '--', 'sh', '-c', 'echo "${ARCHIVE-none}"'];

const directoryOf = (rig: LaunchRig): string =>
  join(rig.home, '.cache', 'bootcut', 'optimizations', 'test-archive', 'file');

const preparations = async (rig: LaunchRig): Promise<number> =>
  (await readFile(join(directoryOf(rig), 'prepared.log'), 'utf8').catch(() => '')).split('\n').length - 1;

const savings = async (rig: LaunchRig): Promise<SavingsReport> =>
  JSON.parse((await rig.run(['savings', '--json'])).stdout) as SavingsReport;

/** Until the ledger says that preparing has come to an end. */
const prepared = async (rig: LaunchRig): Promise<SavingsReport['optimizations'][number]> => {
  for (;;) {
    const [row] = (await savings(rig)).optimizations;
    if (row !== undefined && row.preparation.times > 0) return row;
  }
};

describe('an optimization', () => {
  it('learns from a launch, prepares once behind it, and is then used and held back in turn', {
    timeout: 60_000,
  }, async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(rig, 'test-archive', archive());
    await rig.startDaemon();
    expect((await rig.served(show)).stdout).toBe('learning\n');
    expect((await rig.lastRecord()).optimizations).toMatchObject([{name: 'test-archive/file', state: 'learning'}]);
    const row = await prepared(rig);
    expect(row).toMatchObject({name: 'test-archive/file', label: 'it', standing: 'trial', on: true});
    expect(row.preparation).toMatchObject({times: 1, bytes: 4096, failure: null});
    const outputs: string[] = [];
    for (let launch = 0; launch < 8; launch += 1) outputs.push((await rig.served(show)).stdout);
    expect(outputs.filter((text) => text === 'used\n').length).toBeGreaterThanOrEqual(3);
    expect(outputs.filter((text) => text === 'none\n').length).toBeGreaterThanOrEqual(3);
    expect(await preparations(rig)).toBe(1);
    const [after] = (await savings(rig)).optimizations;
    expect((after?.used ?? 0) + (after?.heldBack ?? 0)).toBeGreaterThanOrEqual(8);
    const {stdout} = await rig.run(['profile']);
    expect(stdout).toMatch(/optimization test-archive\/file for it: (used|held back in this launch)/);
  });

  it('is prepared once by twenty launches at once', {timeout: 60_000}, async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(rig, 'test-archive', archive());
    await rig.startDaemon();
    const launches = await Promise.all(Array.from({length: 20}, () => rig.run(show)));
    for (const {stdout, status} of launches) expect({stdout, status}).toEqual({stdout: expect.any(String), status: 0});
    await prepared(rig);
    expect(await preparations(rig)).toBe(1);
  });

  it('that cannot be prepared is left alone, and savings says why', {timeout: 60_000}, async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(rig, 'test-archive', archive(`throw new Error('no room on the disk');`));
    await rig.startDaemon();
    await rig.served(show);
    expect((await prepared(rig)).preparation.failure).toContain('no room on the disk');
    expect((await rig.served(show)).stdout).toBe('none\n');
    expect((await rig.lastRecord()).optimizations).toMatchObject([{state: 'not-prepared'}]);
    expect(await preparations(rig)).toBe(1);
    expect((await rig.run(['savings'])).stdout).toContain('could not be prepared: no room on the disk');
    const doctor = await rig.run(['doctor']);
    expect(doctor.stdout).toContain('1 could not be prepared: test-archive/file for it: no room on the disk');
  });

  it.for([
    ['exits', `process.exit(3);`],
    ['loops', `for (;;);`],
    ['never settles', `await new Promise(() => {});`],
    ['floods', `process.stdout.write('x'.repeat(1_000_000)); throw new Error('flooded');`],
  ])('whose preparation %s costs nothing but itself (D11)', {timeout: 60_000}, async ([, code = ''], {expect}) => {
    await using rig = await LaunchRig.create();
    const limited = archive(code).replace(`name: 'file',`, `name: 'file', limit: 700,`);
    await linkPlugin(rig, 'test-archive', limited);
    const {pid} = await rig.startDaemon();
    expect((await rig.served(show)).stdout).toBe('learning\n');
    expect((await prepared(rig)).preparation.failure).not.toBe(null);
    expect((await rig.served(show)).stdout).toBe('none\n');
    expect((await rig.status()).pid).toBe(pid);
  });

  it('can be switched off and on, and tried anew', {timeout: 60_000}, async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_HOLDBACK: '0'}});
    await linkPlugin(rig, 'test-archive', archive());
    await rig.startDaemon();
    await rig.served(show);
    await prepared(rig);
    expect((await rig.served(show)).stdout).toBe('used\n');
    expect((await rig.run(['savings', 'switch', 'test-archive', 'off'])).status).toBe(0);
    expect((await rig.served(show)).stdout).toBe('none\n');
    expect((await rig.run(['profile'])).stdout).toContain('switched off');
    await rig.run(['savings', 'switch', 'test-archive/file', 'auto']);
    expect((await rig.served(show)).stdout).toBe('used\n');
    const unknown = await rig.run(['savings', 'reset', 'nothing']);
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toContain('There are: test-archive/file');
    expect((await rig.run(['savings', 'reset', 'test-archive'])).status).toBe(0);
    expect((await savings(rig)).optimizations).toMatchObject([{pairs: 0, standing: 'trial', wanted: 'auto'}]);
  });
});

const alreadyPrepared = async (rig: LaunchRig): Promise<void> => {
  await linkPlugin(rig, 'test-archive', archive());
  await mkdir(directoryOf(rig), {recursive: true});
  await writeFile(join(directoryOf(rig), 'done'), '');
};

describe.each(planners)('an optimization, $front', ({daemon, env}) => {
  it('is left out of a launch when that is asked for', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {...env, BOOTCUT_HOLDBACK: '0'}});
    await alreadyPrepared(rig);
    if (daemon) await rig.startDaemon();
    const [verb, ...rest] = show;
    const launch = async (...flags: string[]): Promise<string> =>
      (await rig.run([verb ?? '', ...flags, ...rest])).stdout;
    expect(await launch()).toBe('used\n');
    expect(await launch('--without', 'test-archive')).toBe('none\n');
    expect((await rig.lastRecord()).optimizations).toMatchObject([{state: 'left-out'}]);
    expect(await launch('--without', 'test-archive/file')).toBe('none\n');
    expect(await launch('--no-optimizations')).toBe('none\n');
    expect((await rig.lastRecord()).optimizations).toBeUndefined();
  });

  it.for(['throws', 'is no list', 'is unreadable'])(
    'whose plan %s costs the launch nothing',
    async (kind, {expect}) => {
      await using rig = await LaunchRig.create({env: {...env, BOOTCUT_HOLDBACK: '0'}});
      const plans: Readonly<Record<string, string>> = {
        throws: `() => { throw new Error('broken on purpose'); }`,
        'is no list': `() => ({subject: 'x', label: 1, use: []})`,
        'is unreadable': `() => ({subject: [], label: 'x', use: [{kind: 'set-env', name: 1}, {kind: 'nothing'}]})`,
      };
      await linkPlugin(
        rig,
        'rotten',
        `export default {name: 'rotten', optimizations: [{name: 'one', summary: 'x', plan: ${plans[kind] ?? ''}}]};`,
      );
      if (daemon) await rig.startDaemon();
      const {status, stderr} = await rig.run(['run', '--', 'sh', '-c', 'exit 7']);
      expect({status, stderr}).toEqual({status: 7, stderr: ''});
      expect((await rig.lastRecord()).notes.join('\n')).toContain('rotten/one');
    },
  );

  it('whose ledger and directory cannot be written costs the launch nothing', async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    await linkPlugin(rig, 'test-archive', archive());
    await mkdir(rig.state, {recursive: true, mode: 0o700});
    await writeFile(join(rig.state, 'savings'), 'a file where the directory belongs');
    const cache = join(rig.home, '.cache', 'bootcut');
    await mkdir(cache, {recursive: true, mode: 0o700});
    await writeFile(join(cache, 'optimizations'), 'the same');
    if (daemon) await rig.startDaemon();
    const {status, stdout, stderr} = await rig.run(show);
    expect({status, stdout, stderr}).toEqual({status: 0, stdout: 'none\n', stderr: ''});
    expect(await readdir(cache)).toContain('optimizations');
  });
});

describe('a warm-up', () => {
  const warm = `
import {definePlugin} from 'bootcut/plugin';
import {appendFileSync} from 'node:fs';
export default definePlugin({
  name: 'test-warm',
  optimizations: [{
    name: 'up',
    summary: 'warms up',
    plan: (launch) => ({subject: [launch.cwd], label: 'it', use: []}),
    warmUp: async (launch, {directory, signal}) => {
      appendFileSync(directory + '/log', 'begun\\n');
      await new Promise((resolve) => { setTimeout(resolve, 30_000).unref(); signal.addEventListener('abort', resolve); });
      appendFileSync(directory + '/log', 'over\\n');
      return 'warmed';
    },
  }],
});`;
  const log = async (rig: LaunchRig): Promise<string> =>
    await readFile(join(rig.home, '.cache', 'bootcut', 'optimizations', 'test-warm', 'up', 'log'), 'utf8').catch(
      () => '',
    );

  it('runs beside the launch, ends with it, and is not run when it is left out', {timeout: 60_000}, async ({
    expect,
  }) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_HOLDBACK: '0'}});
    await linkPlugin(rig, 'test-warm', warm);
    await rig.startDaemon();
    const path = join(rig.home, '.cache', 'bootcut', 'optimizations', 'test-warm', 'up', 'log');
    // The target itself waits until it has begun: were the launch held for it, this would never end.
    const {status} = await rig.served(['run', '--', 'sh', '-c', `until grep -q begun '${path}'; do sleep 0.05; done`]);
    expect(status).toBe(0);
    while (!(await log(rig)).includes('over')) await new Promise((resolve) => setTimeout(resolve, 20));
    const before = await log(rig);
    await rig.served(['run', '--without', 'test-warm', '--', 'true']);
    expect((await rig.lastRecord()).optimizations).toMatchObject([{state: 'left-out'}]);
    expect(await log(rig)).toBe(before);
  });
});
