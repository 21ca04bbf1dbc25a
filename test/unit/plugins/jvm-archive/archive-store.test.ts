import {existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeEach, describe, test} from 'vitest';
import {findArchive, keepArchive, noteUse, sweepArchives} from '../../../../plugins/jvm-archive/src/archive-store.js';
import {contentIdentity} from '../../../../plugins/jvm-archive/src/content-identity.js';
import {archiveNotePath, archivePath} from '../../../../plugins/jvm-archive/src/names.js';
import {sweepScripts} from '../../../../plugins/jvm-archive/src/script-store.js';
import type {Application} from '../../../../plugins/jvm-archive/src/types.js';

let directory: string;
const made: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bootcut-store-'));
  made.push(directory);
});
afterAll(() => made.forEach((path) => rmSync(path, {recursive: true, force: true})));

const day = 24 * 3600;

/** Keeps an archive of `bytes` that was used last so many days ago; its program is a file of the same name. */
const keep = (key: string, bytes: number, daysAgo: number): void => {
  const program = join(directory, `${key}.jar`);
  writeFileSync(program, key);
  const path = archivePath(directory, key);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, Buffer.alloc(bytes));
  const application: Application = {
    label: key,
    key,
    jvm: {executable: process.execPath, feature: 21, identity: 'x'},
    call: {args: [], env: {}, cwd: '/'},
    arguments: {options: [], classPath: program, modulePath: undefined, main: {kind: 'jar', path: program}},
    content: [[program, contentIdentity(program)]],
  };
  keepArchive(directory, application);
  usedAt(key, Date.now() / 1000 - daysAgo * day);
};

const usedAt = (key: string, seconds: number): void => utimesSync(archiveNotePath(directory, key), seconds, seconds);

const kept = (): readonly string[] =>
  ['a', 'b', 'c', 'd'].filter(
    (key) => findArchive(directory, key) !== undefined && existsSync(archivePath(directory, key)),
  );

describe('archives on disk', () => {
  test('are as many as the limit, those used last', ({expect}) => {
    keep('a', 10, 1);
    keep('b', 10, 3);
    keep('c', 10, 2);
    keep('d', 10, 4);
    sweepArchives(directory, 'd', {archives: 2, bytes: 1000});
    expect(kept()).toEqual(['a', 'd']);
    expect(readdirSync(join(directory, 'archives')).sort()).toEqual(['a.jsa', 'a.json', 'd.jsa', 'd.json']);
  });

  test('are as large as the limit, whatever their number; a smaller one may stay where a larger had to go', ({
    expect,
  }) => {
    keep('a', 60, 1);
    keep('b', 60, 2);
    keep('c', 30, 3);
    sweepArchives(directory, 'a', {archives: 10, bytes: 100});
    expect(kept()).toEqual(['a', 'c']);
  });

  test('go when their program has changed or is gone', ({expect}) => {
    keep('a', 10, 1);
    keep('b', 10, 1);
    keep('c', 10, 1);
    writeFileSync(join(directory, 'a.jar'), 'rebuilt');
    rmSync(join(directory, 'b.jar'));
    sweepArchives(directory, 'c');
    expect(readdirSync(join(directory, 'archives')).sort()).toEqual(['c.jsa', 'c.json']);
  });

  test('count as used when they are, once an hour', ({expect}) => {
    keep('a', 10, 5);
    keep('b', 10, 4);
    noteUse(directory, 'a');
    expect(findArchive(directory, 'a')).toBeDefined();
    sweepArchives(directory, 'a', {archives: 1, bytes: 1000});
    expect(kept()).toEqual(['a']);
    const note = contentIdentity(archiveNotePath(directory, 'a'));
    noteUse(directory, 'a');
    expect(contentIdentity(archiveNotePath(directory, 'a'))).toBe(note);
    noteUse(directory, 'missing');
  });

  test('C1: that a killed process left unfinished go after an hour, not before', ({expect}) => {
    keep('a', 10, 1);
    const [old, young] = ['x.jsa.1.ab.tmp', 'y.jsa.2.cd.tmp'].map((name) => join(directory, 'archives', name));
    for (const path of [old, young]) writeFileSync(path ?? '', 'half');
    utimesSync(old ?? '', 1, 1);
    sweepArchives(directory, 'a');
    expect(readdirSync(join(directory, 'archives')).sort()).toEqual(['a.jsa', 'a.json', 'y.jsa.2.cd.tmp']);
  });

  test('what launches left behind that nobody prepared from goes after days', ({expect}) => {
    for (const name of ['learnt/old', 'learnt/young', 'scripts/old'])
      mkdirSync(join(directory, name), {recursive: true});
    for (const name of ['learnt/old', 'scripts/old']) utimesSync(join(directory, name), 1, 1);
    sweepScripts(directory);
    expect(readdirSync(join(directory, 'learnt'))).toEqual(['young']);
    expect(readdirSync(join(directory, 'scripts'))).toEqual([]);
  });
});
