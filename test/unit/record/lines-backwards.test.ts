import {mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {lineLimit, linesBackwards} from '../../../src/record/lines-backwards.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {seeded} from '../profile/random-record.js';

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory('lines');
});
afterAll(() => rmSync(directory, {recursive: true, force: true}));

const linesOf = (content: string | Uint8Array): readonly string[] => {
  const path = join(directory, 'file');
  writeFileSync(path, content);
  return [...linesBackwards(path)];
};

/** What the reader is to agree with: the whole text at once. */
const expected = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .reverse();

/** The size of a block, around which every boundary is tried. */
const block = 65_536;

describe('lines read backwards', () => {
  test('come from the last to the first', ({expect}) => {
    expect(linesOf('one\ntwo\nthree\n')).toEqual(['three', 'two', 'one']);
  });

  test('need no end, and empty ones are left out', ({expect}) => {
    expect(linesOf('\n\none\n\n\ntwo')).toEqual(['two', 'one']);
  });

  test('are none in an empty file, and none in one of line ends', ({expect}) => {
    expect(linesOf('')).toEqual([]);
    expect(linesOf('\n'.repeat(block + 1))).toEqual([]);
  });

  test('are whole wherever the edge of a block cuts', ({expect}) => {
    for (let shift = -4; shift <= 4; shift += 1) {
      for (const blocks of [1, 2, 3]) {
        const text = `first\n${'x'.repeat(blocks * block + shift)}\nlast\n`;
        expect(linesOf(text), `${blocks} blocks ${shift}`).toEqual(expected(text));
        const exact = `${'a'.repeat(block + shift)}\n${'b'.repeat((blocks - 1) * block)}`;
        expect(linesOf(exact), `${blocks} exact ${shift}`).toEqual(expected(exact));
      }
    }
  });

  test('keep characters of several bytes that the edge of a block cuts', ({expect}) => {
    for (let shift = 0; shift < 12; shift += 1) {
      const text = `${'ä€😀'.repeat(20_000)}\n${'z'.repeat(shift)}\n${'😀'.repeat(30_000)}${'y'.repeat(shift)}`;
      expect(linesOf(text), `shift ${shift}`).toEqual(expected(text));
    }
  });

  test('are the same as those of the whole text, for any text', ({expect}) => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seeded(seed);
      let text = '';
      while (text.length < 200_000) {
        text += ['a', 'é', '😀'][Math.floor(random() * 3)]?.repeat(Math.floor(random() ** 6 * 90_000)) ?? '';
        text += '\n'.repeat(Math.floor(random() * 3));
      }
      expect(linesOf(text), `seed ${seed}`).toEqual(expected(text));
    }
  });

  test('include a torn last one, for the parser to refuse', ({expect}) => {
    expect(linesOf('{"v":1}\n{"v":1,"id"')).toEqual(['{"v":1,"id"', '{"v":1}']);
  });

  test('beyond the limit are left out whole, and cost their neighbours nothing', ({expect}) => {
    const longest = 'x'.repeat(lineLimit);
    for (const extra of [1, block, 3 * block + 7]) {
      expect(linesOf(`before\n${longest}${'y'.repeat(extra)}\nafter\n`), `${extra}`).toEqual(['after', 'before']);
      expect(linesOf(`${longest}${'y'.repeat(extra)}`), `${extra} alone`).toEqual([]);
    }
    expect(linesOf(`before\n${longest}\nafter\n`)).toEqual(['after', longest, 'before']);
  });

  test('before a stretch of NUL bytes, as a crash leaves it, are all there', ({expect}) => {
    const nul = Buffer.alloc(3 * lineLimit);
    expect(linesOf(Buffer.concat([Buffer.from('one\ntwo\n'), nul, Buffer.from('\nthree\n')]))).toEqual([
      'three',
      'two',
      'one',
    ]);
    expect(linesOf(nul)).toEqual([]);
  });

  test('of something that is no file are none', ({expect}) => {
    const folder = join(directory, 'folder');
    mkdirSync(folder);
    const link = join(directory, 'link');
    writeFileSync(join(directory, 'aim'), 'secret\n');
    symlinkSync(join(directory, 'aim'), link);
    expect([...linesBackwards(folder)]).toEqual([]);
    expect([...linesBackwards(link)]).toEqual([]);
    expect([...linesBackwards(join(directory, 'missing'))]).toEqual([]);
  });

  test('let the one who stops early go on', ({expect}) => {
    const path = join(directory, 'file');
    writeFileSync(path, 'one\ntwo\n');
    for (const line of linesBackwards(path)) {
      expect(line).toBe('two');
      break;
    }
  });
});
