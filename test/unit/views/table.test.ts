import {describe, test} from 'vitest';
import {table} from '../../../src/views/table.js';

const columns = [
  {head: 'name', align: 'left'},
  {head: 'ms', align: 'right'},
] as const;

/** Cells as a Markdown reader takes a row apart: an escaped character is none that parts. */
const cellsOf = (row: string): readonly string[] =>
  (row.match(/(?:\\.|[^|\\])+/g) ?? []).map((cell) => cell.trim().replace(/\\([\\|])/g, '$1'));

describe('a table', () => {
  test('is a Markdown table with aligned columns', ({expect}) => {
    const text = table(columns, [
      ['client', '1.5'],
      ['a', '1,290.25'],
    ]);
    expect(text.split('\n')).toEqual([
      '| name   |       ms |',
      '| ------ | -------: |',
      '| client |      1.5 |',
      '| a      | 1,290.25 |',
    ]);
  });

  test('has a heading and a rule even without rows', ({expect}) => {
    expect(table([{head: 'x', align: 'right'}], [])).toBe('|   x |\n| --: |');
  });

  test('fills in cells that are missing', ({expect}) => {
    expect(table(columns, [['a']]).split('\n')[2]).toBe('| a    |     |');
  });

  test('keeps a text with pipes in its cell, also behind backslashes', ({expect}) => {
    for (const name of ['a|b', '|', '||', 'a\\|b', 'a\\\\|b', '|x|']) {
      const row = table(columns, [[name, '1']]).split('\n')[2] ?? '';
      expect(cellsOf(row), name).toEqual([name, '1']);
    }
  });

  test('stays on one line and hands the terminal nothing to act upon', ({expect}) => {
    const text = table(columns, [['a\nb\r\u001b[31m\u202e\u0000\t', '1']]);
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('a\\x0ab\\x0d\\x1b[31m\\u202e\\x00\\x09');
  });

  test('cuts an endless name, between characters', ({expect}) => {
    const row = table(columns, [['😀'.repeat(5000), '1']]).split('\n')[2] ?? '';
    expect(cellsOf(row)[0]).toBe(`${'😀'.repeat(79)}…`);
  });

  test('keeps its lines equally long', ({expect}) => {
    const lines = table(columns, [
      ['a|b', '1'],
      ['😀😀', '22'],
      ['\n', ''],
    ]).split('\n');
    expect(new Set(lines.map((line) => [...line].length)).size).toBe(1);
  });
});
