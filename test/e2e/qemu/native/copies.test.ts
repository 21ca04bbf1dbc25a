import {chmod, lutimes, mkdir, readdir, symlink, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {canRunGuests, VmBench} from './vm-bench.js';

/** Seconds since 1970; whole, as `stat -c %Y` shows them. */
const moment = 1_600_000_000;

describe.skipIf(!canRunGuests())('a template that has copies of the host’s files', () => {
  let bench: VmBench;
  const at = (path: string): string => join(bench.root, path);
  const inGuest = async (script: string, options?: readonly string[]): Promise<string> => {
    const {stdout, stderr, status} = await bench.run(['sh', '-c', script], options === undefined ? {} : {options});
    return status === 0 ? String(stdout) : `${status}: ${String(stdout)}${stderr}`;
  };

  beforeAll(async () => {
    bench = await VmBench.create(['settings', 'tools']);
    await mkdir(at('settings/deep/empty'), {recursive: true});
    await mkdir(at('tools/deep'));
    for (const name of ['settings/one', 'settings/deep/two', 'tools/deep/hot', 'tools/deep/cold', 'tools/other']) {
      await writeFile(at(name), 'before\n');
      await utimes(at(name), moment, moment);
    }
    await chmod(at('settings/deep/two'), 0o4750);
    await chmod(at('settings/deep'), 0o710);
    for (const place of ['settings/link', 'tools/deep/link']) {
      await symlink('deep/../hot', at(place));
      await lutimes(at(place), moment, moment);
    }
    for (const name of ['settings/deep', 'settings', 'tools/deep', 'tools']) await utimes(at(name), moment, moment);
    const hot = ['deep/hot', 'deep/link', 'deep/not-there'].flatMap((path) => ['--hot', `tools=${path}`]);
    await bench.makeTemplate(['--copied', 'settings', ...hot]);
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  it('shows what a boot shows: kinds, owners, modes, times, links, and nothing of how it is made', async ({expect}) => {
    const look = `cd ${bench.root} && find settings tools | sort | xargs stat -c '%n %F %a %u %g %s %N'; stat -c '%n %Y' settings/deep settings/one settings/deep/two tools/deep tools/deep/hot tools/other; ls -A /`;
    const booted = await inGuest(look, []);
    expect(booted).toContain('settings/deep/two regular file 4750');
    expect(booted).toContain(`tools/deep/hot ${moment}`);
    // Directories have no size of their own: each file system has its idea of it.
    const withoutSizes = (text: string): string => text.replaceAll(/(directory \d+ \d+ \d+) \d+/g, '$1');
    expect(withoutSizes(await inGuest(look))).toBe(withoutSizes(booted));
  });

  it('reads the copies, not the host, and everything else from the host', async ({expect}) => {
    for (const name of ['settings/one', 'tools/deep/hot', 'tools/deep/cold', 'tools/other'])
      await writeFile(at(name), 'after\n');
    const show = `cd ${bench.root} && cat settings/one tools/deep/hot tools/deep/cold tools/other`;
    expect(await inGuest(show)).toBe('before\nbefore\nafter\nafter\n');
    expect(await inGuest(show, [])).toBe('after\nafter\nafter\nafter\n');
  });

  it('may be changed by the guest for itself', async ({expect}) => {
    const change = `cd ${bench.root} && for i in settings/one settings/new tools/deep/hot tools/deep/new; do echo changed > $i; done; rm tools/deep/link settings/link; cat settings/one tools/deep/hot; ls tools/deep`;
    expect(await inGuest(change)).toBe('changed\nchanged\ncold\nhot\nnew\n');
    expect((await readdir(at('tools/deep'))).sort()).toEqual(['cold', 'hot', 'link']);
    expect((await readdir(at('settings'))).sort()).toEqual(['deep', 'link', 'one']);
  });

  it('has the user’s home already, and no name that tells of a launch', async ({expect}) => {
    expect(await inGuest('cd && pwd && ls -A && stat -c %u . && hostname')).toBe(
      `/home/tester\n${process.getuid?.() ?? 0}\nguest\n`,
    );
  });
});
