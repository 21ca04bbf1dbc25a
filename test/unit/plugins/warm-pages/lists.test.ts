import {execFileSync} from 'node:child_process';
import {chmod, mkdir, readFile, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, beforeEach, describe, it} from 'vitest';
import {blockSize, parseMaps} from '../../../../plugins/warm-pages/src/mapped-files.js';
import {readAheadProgram} from '../../../../plugins/warm-pages/src/native.js';
import {pageList, writeList} from '../../../../plugins/warm-pages/src/page-list.js';
import {SeenFiles} from '../../../../plugins/warm-pages/src/seen-files.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory('pages');
});

const file = async (name: string, blocks: number): Promise<string> => {
  const path = join(directory, name);
  await writeFile(path, Buffer.alloc(blocks * blockSize));
  return path;
};

describe('the files of a process', () => {
  it('are those that it maps, by their names, deleted ones and others left out', ({expect}) => {
    const maps = [
      '55e8a000-55e8c000 r--p 00002000 fe:00 1234                       /usr/bin/a program',
      '55e8c000-55e8d000 rw-p 00000000 00:00 0                          [heap]',
      '7f000000-7f001000 r-xp 00000000 fe:00 99                         /usr/lib/gone.so (deleted)',
      '7f001000-7f002000 rw-s 00000000 00:01 7                          /memfd:x',
      '7f002000-7f003000 rw-p 00000000 00:00 0 ',
    ].join('\n');
    expect(parseMaps(maps).map(({path, offset, from, to}) => [path, offset, to - from])).toEqual([
      ['/usr/bin/a program', 0x2000, 0x2000],
      ['/memfd:x', 0, 0x1000],
    ]);
  });

  it('are seen of a living one with the blocks that it has touched', ({expect}) => {
    const seen = new SeenFiles();
    seen.look(process.pid);
    const program = seen.files.find(({path}) => path === process.execPath);
    expect(program?.blocks.length).toBeGreaterThan(10);
    expect(program?.blocks).toEqual([...new Set(program?.blocks)].sort((a, b) => a - b));
    expect(seen.files.every(({path}) => !/^\/(?:proc|dev|sys)\//.test(path))).toBe(true);
  });

  it('of which more is known than that it is open are kept by what is known', ({expect}) => {
    const seen = new SeenFiles();
    seen.addWhole({path: '/a', blocks: [0, 1, 2, 3]});
    seen.addMapped({path: '/a', blocks: [2]});
    seen.addMapped({path: '/a', blocks: [1]});
    seen.addWhole({path: '/b', blocks: [0]});
    expect(seen.files).toEqual([
      {path: '/a', blocks: [1, 2]},
      {path: '/b', blocks: [0]},
    ]);
  });
});

describe('a list', () => {
  it('names ranges in order, no longer than the file and no more than the budget', async ({expect}) => {
    const [a, b] = [await file('a', 8), await file('b', 1)];
    await writeFile(b, 'short');
    const seen = [
      {path: a, blocks: [0, 1, 4, 5, 7, 100]},
      {path: b, blocks: [0]},
      {path: join(directory, 'gone'), blocks: [0]},
    ];
    const list = pageList(seen, 10 * blockSize);
    const entries = list.text.split('\0').filter((entry) => entry !== '');
    expect(entries.map((entry) => entry.replace(/ \d+ (?=\/)/, ' '))).toEqual([
      `0 ${2 * blockSize} ${8 * blockSize} ${a}`,
      `${4 * blockSize} ${2 * blockSize} ${8 * blockSize} ${a}`,
      `${7 * blockSize} ${blockSize} ${8 * blockSize} ${a}`,
      `0 5 5 ${b}`,
    ]);
    expect(list).toMatchObject({files: 2, bytes: 5 * blockSize + 5});
    expect(pageList(seen, blockSize)).toMatchObject({files: 1, bytes: 5});
  });

  it.skipIf(process.geteuid?.() === 0)('does not name what the user may not read', async ({expect}) => {
    const path = await file('secret', 1);
    await chmod(path, 0);
    expect(pageList([{path, blocks: [0]}], 10 * blockSize).files).toBe(0);
  });
});

describe('reading ahead', () => {
  beforeAll(() => {
    const build =
      "const {buildReadAhead} = await import('./scripts/build-launcher.mjs'); process.exit(buildReadAhead().built ? 0 : 1)";
    execFileSync(process.execPath, ['--input-type=module', '-e', build]);
  });

  const ahead = (list: string, budget: number): Record<string, number> =>
    JSON.parse(execFileSync(readAheadProgram() ?? '', [list, String(budget)], {encoding: 'utf8'})) as Record<
      string,
      number
    >;

  it('asks for what the list names, within its budget, and passes over what has changed', async ({expect}) => {
    const [a, b, list] = [await file('a', 8), await file('b b', 4), join(directory, 'list')];
    const seen = [a, b].map((path) => ({path, blocks: [0, 1, 3]}));
    writeList(list, pageList(seen, 100 * blockSize));
    expect(ahead(list, 100 * blockSize)).toMatchObject({files: 2, stale: 0, asked: 6 * blockSize});
    expect(ahead(list, 4 * blockSize)['asked']).toBeLessThanOrEqual(4 * blockSize);
    await utimes(a, 1, 1);
    expect(ahead(list, 100 * blockSize)).toMatchObject({files: 1, stale: 1, asked: 3 * blockSize});
  });

  it('opens nothing but plain files, and lists that make no sense do no harm', async ({expect}) => {
    const list = join(directory, 'list');
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    await mkdir(join(directory, 'folder'));
    const entries = [
      `0 1 0 0 ${join(directory, 'pipe')}`,
      `0 1 0 0 ${join(directory, 'folder')}`,
      '0 1 0 0 /dev/zero',
      'nonsense',
      '99999999999999999999999 -1 x y z',
      '',
    ];
    await writeFile(list, entries.join('\0'));
    expect(ahead(list, 1_000_000)).toMatchObject({files: 0, stale: 3, asked: 0});
    await writeFile(list, await readFile('/bin/true'));
    expect(ahead(list, 1_000_000)).toMatchObject({files: 0, asked: 0});
  });
});
