import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {AnswerCache} from '../../../src/cache/answer-cache.js';
import {FileStore} from '../../../src/cache/file-store.js';
import {openStores} from '../../../src/cache/stores.js';
import {manualClock} from '../../rig/manual-clock.js';
import {runScript} from '../../rig/script-process.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {asked, keeping, key, workplace} from './workplace.js';

/** The one entry file of a cache. */
const entryFile = (directory: string): string => {
  const [name = ''] = readdirSync(join(directory, 'answers'));
  return join(directory, 'answers', name);
};

const damages: readonly (readonly [string, (path: string, text: string) => void])[] = [
  ['empty', (path) => writeFileSync(path, '')],
  ['one byte', (path) => writeFileSync(path, '{')],
  ['cut at half', (path, text) => writeFileSync(path, text.slice(0, text.length / 2))],
  ['filled with zero bytes', (path, text) => writeFileSync(path, Buffer.alloc(text.length))],
  ['[]', (path) => writeFileSync(path, '[]')],
  ['null', (path) => writeFileSync(path, 'null')],
  ['a text', (path) => writeFileSync(path, '"x"')],
  ['another shape', (path) => writeFileSync(path, '{"key": "x", "text": 5}')],
  ["another key's", (path, text) => writeFileSync(path, text.replace('step#a', 'step#b'))],
  ['numbers as texts', (path, text) => writeFileSync(path, text.replace(/(\\"readAt\\":)(\d+)/, '$1\\"$2\\"'))],
  ['the inner text cut', (path, text) => writeFileSync(path, text.replace(/\\"value.*/, '"}'))],
  ['nested a million deep', (path) => writeFileSync(path, `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)],
  ['an empty directory', (path) => (rmSync(path), mkdirSync(path))],
  ['a dangling link', (path) => (rmSync(path), symlinkSync('/nonexistent/x', path))],
  ['100 MB', (path) => truncateSync(path, 100 * 1024 * 1024)],
];

describe('a damaged entry', () => {
  for (const [name, damage] of damages) {
    it(`that is ${name} counts as missing and is replaced by the next answer`, async ({expect}) => {
      await using place = await workplace();
      await place.ask('a', 1);
      const path = entryFile(place.directory);
      const text = readFileSync(path, 'utf8');
      damage(path, text);
      if (name === 'numbers as texts' || name === "another key's") expect(readFileSync(path, 'utf8')).not.toBe(text);
      expect((await place.cache.look(key('a'), keeping)).state).toBe('missing');
      expect(await place.cache.list()).toEqual([]);
      await place.ask('a', 2);
      expect(await place.cache.look(key('a'), keeping)).toMatchObject({state: 'fresh', entry: {value: 2}});
      expect(lstatSync(path).isFile()).toBe(true);
    });
  }

  it('that is a deeply nested answer of the right shape is read without a crash', async ({expect}) => {
    await using place = await workplace();
    const entry = await place.cache.store(key('a'), keeping, asked('DEEP'));
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const text = JSON.stringify({value: entry, expires: entry.expiresAt}).replace('"DEEP"', deep);
    writeFileSync(entryFile(place.directory), JSON.stringify({key: `keyv:${key('a')}`, text}));
    expect(['fresh', 'missing']).toContain((await place.cache.look(key('a'), keeping)).state);
  });

  it('that is a directory with something in it is left alone, and the answer is given all the same', async ({
    expect,
  }) => {
    await using place = await workplace();
    await place.ask('a', 1);
    const path = entryFile(place.directory);
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, 'precious'), 'x');
    expect(await place.ask('a', 2)).toMatchObject({kind: 'answer', entry: {value: 2}});
    expect(await place.cache.clear(() => true, true)).toBe(0);
    expect(readFileSync(join(path, 'precious'), 'utf8')).toBe('x');
  });

  it('that is a link is replaced, and what it pointed to is not written', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', 1);
    const path = entryFile(place.directory);
    const outside = join(place.directory, 'outside');
    writeFileSync(outside, 'mine');
    rmSync(path);
    symlinkSync(outside, path);
    await place.ask('a', 2);
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    expect(lstatSync(path).isFile()).toBe(true);
  });

  it('that a stranger may not read is replaced', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', 1);
    chmodSync(entryFile(place.directory), 0o000);
    await place.ask('a', 2);
    expect(await place.cache.look(key('a'), keeping)).toMatchObject({entry: {value: 2}});
    expect(statSync(entryFile(place.directory)).mode & 0o777).toBe(0o600);
  });
});

describe('the directory', () => {
  it('has mode 0700 and its files 0600, whatever the umask', async ({expect}) => {
    for (const umask of ['0', '77', '277']) {
      const directory = await temporaryDirectory('cache');
      await using script = runScript(
        `process.umask(parseInt(args[1], 8));
         const {openStores} = await ours('cache/stores');
         const stores = await openStores(args[0]);
         say(String(await stores.own.set('a', 1, 1000)));`,
        [directory, umask],
      );
      expect(await script.line()).toBe('true');
      expect(statSync(join(directory, 'answers')).mode & 0o077).toBe(0);
      expect(statSync(entryFile(directory)).mode & 0o777).toBe(0o600);
    }
  });

  it('that is removed under a running daemon is made again', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', 1);
    rmSync(place.directory, {recursive: true});
    await place.ask('a', 2);
    expect(await place.cache.look(key('a'), keeping)).toMatchObject({state: 'fresh', entry: {value: 2}});
    expect(statSync(join(place.directory, 'answers')).mode & 0o777).toBe(0o700);
  });

  it('whose place a file takes costs the storing on disk, not the answer', async ({expect}) => {
    const directory = await temporaryDirectory('cache');
    writeFileSync(join(directory, 'answers'), 'mine');
    const stores = await openStores(directory, undefined);
    const cache = new AnswerCache(stores, manualClock(), undefined);
    await cache.store(key('a'), keeping, asked(1));
    expect(await cache.look(key('a'), keeping)).toMatchObject({state: 'fresh', entry: {value: 1}});
    expect(await cache.list()).toHaveLength(1);
    expect(readFileSync(join(directory, 'answers'), 'utf8')).toBe('mine');
  });

  it('is swept of the temporary files of dead writers, but not of those at work', async ({expect}) => {
    const directory = await temporaryDirectory('cache');
    const answers = join(directory, 'answers');
    mkdirSync(join(answers, 'odd.tmp'), {recursive: true});
    for (const name of ['old.tmp', 'new.tmp', 'old.txt']) writeFileSync(join(answers, name), '');
    const old = new Date(Date.now() - 2 * 3_600_000);
    for (const name of ['old.tmp', 'odd.tmp', 'old.txt']) utimesSync(join(answers, name), old, old);
    await openStores(directory, undefined);
    expect(readdirSync(answers).sort()).toEqual(['new.tmp', 'odd.tmp', 'old.txt']);
  });

  it('keeps the newest two thousand answers', async ({expect}) => {
    const directory = await temporaryDirectory('cache');
    const answers = join(directory, 'answers');
    mkdirSync(answers);
    for (let index = 0; index < 2010; index += 1) {
      const path = join(answers, `${index}.json`);
      writeFileSync(path, '{}');
      utimesSync(path, 1_700_000_000 + index, 1_700_000_000 + index);
    }
    await openStores(directory, undefined);
    expect(readdirSync(answers)).toHaveLength(2000);
    expect(existsSync(join(answers, '9.json'))).toBe(false);
    expect(existsSync(join(answers, '10.json'))).toBe(true);
  });

  it('takes no answer that it would not read again', async ({expect}) => {
    await using place = await workplace();
    await place.ask('a', 1);
    expect(await place.ask('a', 'x'.repeat(9 * 1024 * 1024))).toMatchObject({kind: 'answer'});
    expect(await place.cache.look(key('a'), keeping)).toMatchObject({entry: {value: 1}});
  });
});

/** A mounted tmpfs of 64 kB, or undefined where we may not mount. */
const smallDisk = (directory: string): Disposable | undefined => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory], {stdio: 'ignore'});
  } catch {
    return undefined;
  }
  return {[Symbol.dispose]: () => void execFileSync('umount', [directory])};
};

describe('a full disk', () => {
  it('leaves the old entry, gives the new answer, and leaves no temporary file', async ({expect, skip}) => {
    const directory = await temporaryDirectory('full');
    using disk = smallDisk(directory);
    if (disk === undefined) return skip('mounting a tmpfs needs root');
    const stores = await openStores(directory, undefined);
    const cache = new AnswerCache(stores, manualClock(), undefined);
    await cache.store(key('a'), keeping, asked('old'));
    expect(() => writeFileSync(join(directory, 'filler'), Buffer.alloc(100_000))).toThrow(/ENOSPC/);
    expect(await cache.store(key('a'), keeping, asked('n'.repeat(20_000)))).toMatchObject({value: /n/});
    expect(await cache.look(key('a'), keeping)).toMatchObject({state: 'fresh', entry: {value: 'old'}});
    expect(readdirSync(join(directory, 'answers')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

/** Writes its key round after round; a reader looks at all keys meanwhile and says when one was broken or lost. */
const writer = `
  const {openStores} = await ours('cache/stores');
  const stores = await openStores(args[0]);
  const rounds = Number(args[2]);
  say('ready');
  await heard();
  for (let round = 1; round <= rounds; round += 1) {
    if (!(await stores.own.set('key' + args[1], {round, text: 'x'.repeat(round * 20)}, 3600000))) say('not written');
  }
  say('done');
`;
const reader = `
  const {openStores} = await ours('cache/stores');
  const stores = await openStores(args[0]);
  say('ready');
  let running = true;
  void heard().then(() => (running = false));
  const seen = new Map();
  let looks = 0;
  while (running) {
    for (let index = 0; index < 16; index += 1) {
      const found = await stores.own.get('key' + index);
      looks += 1;
      if (found === undefined ? seen.has(index) : found.text.length !== found.round * 20 || found.round < (seen.get(index) ?? 0)) {
        say('broken: key' + index + ' ' + JSON.stringify(found)?.slice(0, 100));
      }
      if (found !== undefined) seen.set(index, found.round);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  say(looks > 16 ? 'whole' : 'never looked');
`;

describe('many processes at once', () => {
  it('16 writers of 200 rounds each and two readers lose no key, break none and leave no temporary file', async ({
    expect,
  }) => {
    const directory = await temporaryDirectory('crowd');
    const readers = [runScript(reader, [directory]), runScript(reader, [directory])];
    const writers = Array.from({length: 16}, (_, index) => runScript(writer, [directory, String(index), '200']));
    await Promise.all([...readers, ...writers].map((one) => one.line()));
    for (const one of writers) one.tell('go');
    expect(new Set(await Promise.all(writers.map((one) => one.line())))).toEqual(new Set(['done']));
    for (const one of readers) one.tell('stop');
    expect(await Promise.all(readers.map((one) => one.line()))).toEqual(['whole', 'whole']);
    await Promise.all([...readers, ...writers].map((one) => one[Symbol.asyncDispose]()));
    const {own} = await openStores(directory, undefined);
    for (let index = 0; index < 16; index += 1) expect(await own.get(`key${index}`)).toMatchObject({round: 200});
    expect(readdirSync(join(directory, 'answers')).filter((name) => !name.endsWith('.json'))).toEqual([]);
  }, 120_000);

  it('a store lists the keys of another process', async ({expect}) => {
    const directory = await temporaryDirectory('crowd');
    const {own} = await openStores(directory, undefined);
    await own.set('a', 1, 1000);
    expect(new FileStore(join(directory, 'answers')).keys()).toEqual(['keyv:a']);
  });
});
