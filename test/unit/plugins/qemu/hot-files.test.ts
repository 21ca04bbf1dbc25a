import {chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {hotFiles} from '../../../../plugins/qemu/src/hot-files.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('qemu-hot');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const put = (path: string): string => {
  const file = join(root, path);
  mkdirSync(dirname(file), {recursive: true});
  writeFileSync(file, path);
  return file;
};
const link = (target: string, path: string): void => {
  mkdirSync(dirname(join(root, path)), {recursive: true});
  symlinkSync(target, join(root, path));
};
const found = (...tags: readonly string[]): readonly string[] =>
  hotFiles(tags, root)
    .map(({tag, path}) => `${tag} ${path}`)
    .sort();

describe('files of which a template has a copy', () => {
  test('are programs, what they are linked with, and the files of the language, with the links that lead there', ({
    expect,
  }) => {
    put('usr/bin/dash');
    link('dash', 'usr/bin/sh');
    link('usr/bin', 'bin');
    link('usr/lib', 'lib');
    put('usr/lib/x86_64-linux-gnu/libtinfo.so.6.4');
    link('libtinfo.so.6.4', 'usr/lib/x86_64-linux-gnu/libtinfo.so.6');
    put('usr/lib/x86_64-linux-gnu/ld.so');
    link('/lib/x86_64-linux-gnu/ld.so', 'usr/lib64/ld-linux-x86-64.so.2');
    put('usr/lib/locale/C.utf8/LC_MESSAGES/SYS_LC_MESSAGES');
    put('usr/bin/something-else');
    expect(found('usr')).toEqual([
      'usr bin/dash',
      'usr bin/sh',
      'usr lib/locale/C.utf8/LC_MESSAGES/SYS_LC_MESSAGES',
      'usr lib/x86_64-linux-gnu/ld.so',
      'usr lib/x86_64-linux-gnu/libtinfo.so.6',
      'usr lib/x86_64-linux-gnu/libtinfo.so.6.4',
      'usr lib64/ld-linux-x86-64.so.2',
    ]);
  });

  test('are in the share that has them, where /bin is a directory of its own', ({expect}) => {
    put('bin/sh');
    put('usr/bin/env');
    expect(found('usr', 'bin')).toEqual(['bin sh', 'usr bin/env']);
    expect(found('usr')).toEqual(['usr bin/env']);
  });

  test('are none that are large, that give rights, that lead nowhere or around', ({expect}) => {
    truncateSync(put('usr/bin/bash'), 5 * 1024 * 1024);
    chmodSync(put('usr/bin/cat'), 0o4755);
    link('nowhere', 'usr/bin/ls');
    link('env', 'usr/bin/env');
    mkdirSync(join(root, 'usr/bin/cp'));
    put('opt/sh');
    link('/opt/sh', 'usr/bin/sh');
    // The link is in a share and what it leads to is not: then that is missing in the guest with a copy as without.
    expect(found('usr')).toEqual(['usr bin/sh']);
  });

  test('are told apart by what they are at this moment', ({expect}) => {
    const file = put('usr/bin/sh');
    const [before] = hotFiles(['usr'], root);
    writeFileSync(file, 'changed since');
    expect(hotFiles(['usr'], root)[0]).not.toEqual(before);
  });
});
