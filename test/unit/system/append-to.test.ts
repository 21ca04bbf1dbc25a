import {execFileSync} from 'node:child_process';
import {readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {it} from 'vitest';
import {appendTo} from '../../../src/system/append-to.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

it('makes a file for us alone and adds to it', async ({expect}) => {
  const path = join(await temporaryDirectory('append'), 'log');
  const before = process.umask(0);
  appendTo(path, 'one\n');
  process.umask(before);
  appendTo(path, Buffer.from('two\n'));
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('waits for nobody at a pipe, and follows no link', async ({expect}) => {
  const directory = await temporaryDirectory('append');
  const [pipe, outside, link] = [join(directory, 'pipe'), join(directory, 'outside'), join(directory, 'link')];
  execFileSync('mkfifo', [pipe]);
  writeFileSync(outside, 'precious');
  symlinkSync(outside, link);
  expect(() => appendTo(pipe, 'x')).toThrow('ENXIO');
  expect(() => appendTo(link, 'x')).toThrow('ELOOP');
  expect(readFileSync(outside, 'utf8')).toBe('precious');
});
