import {readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {linkFirstUse} from '../../rig/first-use-plugin.js';
import {endProcess, type Front, fronts, LaunchRig, planners} from '../../rig/launch-rig.js';

const rigFor = async ({daemon, env}: Front): Promise<LaunchRig> => {
  const rig = await LaunchRig.create({env});
  if (daemon) await rig.startDaemon();
  return rig;
};

const stateOf = async (rig: LaunchRig): Promise<string | undefined> =>
  (await rig.lastRecord()).steps.find(({step}) => step === 'later/work')?.state;

const leftOf = async (rig: LaunchRig): Promise<readonly string[]> => [
  ...(await readdir(rig.root, {recursive: true})).filter((name) => name.includes('first-use-')),
  ...(await readdir(rig.dir)),
  ...(await inMemory(rig)),
  ...(await keepers(rig)),
];

/** Directories in memory of this rig's launches. */
const inMemory = async (rig: LaunchRig): Promise<readonly string[]> => {
  const names = await readdir(`/dev/shm/bootcut-${process.geteuid?.()}`).catch(() => []);
  const ids = (await rig.records()).map(({id}) => id);
  return names.filter((name) => ids.some((id) => name.includes(id)));
};

/** Processes that keep files of this rig. */
const keepers = async (rig: LaunchRig): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(join('/proc', name, 'cmdline'), 'utf8').catch(() => '');
    if (line.includes('bootcut-first-use') && line.includes(`${rig.root}/`)) found.push(name);
  }
  return found;
};

const content = `return {text: 'made for ' + launch.verb + '\\n'};`;

describe.each(planners)('a step put off until a file is opened, $front', (front) => {
  it('does not run in a launch that never opens it, and leaves nothing', async ({expect}) => {
    await using rig = await rigFor(front);
    const plugin = await linkFirstUse(rig, "{file: 'made.txt'}", content);
    const {stdout, status} = await rig.run(['run', '--', 'sh', '-c', 'ls; exit 7']);
    expect({stdout, status}).toEqual({stdout: 'made.txt\n', status: 7});
    expect(await plugin.runs()).toBe(0);
    expect(await stateOf(rig)).toBe('not-used');
    await expect.poll(async () => await leftOf(rig)).toEqual([]);
  });

  it('runs once, and every reader gets the content', async ({expect}) => {
    await using rig = await rigFor(front);
    const plugin = await linkFirstUse(rig, "{file: 'made.txt'}", content);
    const script =
      '(cat made.txt & cat made.txt; cat made.txt; wait); tail -c 4 made.txt; test -f made.txt && wc -c <made.txt';
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', script]);
    expect(stdout).toBe('made for run\nmade for run\nmade for run\nrun\n13\n');
    expect(await plugin.runs()).toBe(1);
    expect(await stateOf(rig)).toBe('read');
    await expect.poll(async () => await leftOf(rig)).toEqual([]);
  });

  it('may be named by a variable', async ({expect}) => {
    await using rig = await rigFor(front);
    await linkFirstUse(rig, "{file: 'MADE_FILE'}", content);
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', 'cat "$MADE_FILE"']);
    expect(stdout).toBe('made for run\n');
    await expect.poll(async () => await leftOf(rig)).toEqual([]);
  });

  it('that fails leaves the reader with an empty file', async ({expect}) => {
    await using rig = await rigFor(front);
    await linkFirstUse(rig, "{file: 'made.txt'}", `throw new Error('on purpose');`);
    const {stdout, status} = await rig.run(['run', '--', 'sh', '-c', 'cat made.txt; exit 7']);
    expect({stdout, status}).toEqual({stdout: '', status: 7});
    expect(await stateOf(rig)).toBe('failed');
  });

  it('takes the place of nothing that is there', async ({expect}) => {
    await using rig = await rigFor(front);
    await writeFile(join(rig.dir, 'made.txt'), 'mine\n');
    await linkFirstUse(rig, "{file: 'made.txt'}", content);
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', 'cat made.txt']);
    expect(stdout).toBe('mine\n');
    expect(await readFile(join(rig.dir, 'made.txt'), 'utf8')).toBe('mine\n');
    const step = (await rig.lastRecord()).steps[0];
    expect(step).toMatchObject({state: 'failed', reason: 'taken'});
  });

  it('takes the place of what a launch that was killed hard has left', async ({expect}) => {
    await using rig = await rigFor(front);
    await symlink('/dev/shm/first-use-files-4194999-01M8/0', join(rig.dir, 'made.txt'));
    await linkFirstUse(rig, "{file: 'made.txt'}", content);
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', 'cat made.txt']);
    expect(stdout).toBe('made for run\n');
  });

  it('has no content on disk', async ({expect}) => {
    await using rig = await rigFor(front);
    await linkFirstUse(rig, "{file: 'made.txt'}", `return {text: 'top-' + 'secret-value'};`);
    const script = `cat made.txt; echo; grep -rl top-secret-value ${rig.home} || echo nowhere`;
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', script]);
    expect(stdout).toBe('top-secret-value\nnowhere\n');
  });
});

describe('a step put off until a file is opened', () => {
  const [withDaemon] = fronts.filter(({daemon}) => daemon);

  it('releases who waits for it when the daemon is killed', async ({expect}) => {
    await using rig = await rigFor(withDaemon!);
    await linkFirstUse(rig, "{file: 'made.txt'}", `await new Promise(() => {});`, {more: 'limit: ms(30_000),'});
    const {pid} = await rig.status();
    // The second reader comes while the keeper is on its way out: it finds an empty file.
    const script = `cat made.txt & sleep 0.3; kill -KILL ${pid}; cat made.txt 2>/dev/null; wait; echo over`;
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', script]);
    expect(stdout).toBe('over\n');
    endProcess(pid);
    expect(await keepers(rig)).toEqual([]);
  });
});
