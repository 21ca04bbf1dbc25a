import {chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {beforeEach, describe, test} from 'vitest';
import {learningHome} from '../../../../plugins/jvm-archive/src/learning-home.js';
import {sweepScripts} from '../../../../plugins/jvm-archive/src/script-store.js';
import type {Jvm} from '../../../../plugins/jvm-archive/src/types.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {releaseOf, stubJvm} from './stub-jvm.js';

let root: string;
let directory: string;
let home: string;
beforeEach(async () => {
  root = await temporaryDirectory('learning-home');
  [directory, home] = [join(root, 'store'), join(root, 'jdk')];
  stubJvm(home, {release: releaseOf('17')});
});

const real = (identity = 'a build') => ({
  jvm: {executable: join(home, 'bin/java'), feature: 17, identity} as Jvm,
  java: `${home}/bin/java`,
  home,
});
const made = (): readonly string[] => readdirSync(join(directory, 'homes'));

describe('the home of launches that are learnt from', () => {
  test('is made once, and no launch that is planned later writes anything', ({expect}) => {
    const first = learningHome(directory, real());
    expect(readdirSync(first ?? '').sort()).toEqual(['bin', 'lib', 'release']);
    chmodSync(join(directory, 'homes'), 0o500); // for others than root: nothing can be made here any more
    const before = statSync(join(directory, 'homes')).ctimeMs;
    for (let launch = 0; launch < 20; launch += 1) expect(learningHome(directory, real())).toBe(first);
    expect(statSync(join(directory, 'homes')).ctimeMs).toBe(before);
    chmodSync(join(directory, 'homes'), 0o700);
    expect(made()).toHaveLength(1);
  });

  test('is another one for another build of the JVM, and for another name of it', ({expect}) => {
    learningHome(directory, real());
    learningHome(directory, real('another build'));
    learningHome(directory, {...real(), home: `${home}/`});
    expect(made()).toHaveLength(3);
  });

  test('is made anew where it is broken', ({expect}) => {
    const first = learningHome(directory, real()) ?? '';
    const shim = join(first, 'bin', 'java');
    const text = readFileSync(shim, 'utf8');
    writeFileSync(shim, '#!/bin/sh\n');
    expect(learningHome(directory, real())).toBe(first);
    rmSync(dirname(shim), {recursive: true});
    expect(learningHome(directory, real())).toBe(first);
    expect(readFileSync(shim, 'utf8')).toBe(text);
    expect(statSync(shim).mode & 0o777).toBe(0o700);
    expect(made()).toHaveLength(1); // nothing half-made is left
  });

  test('is none where it cannot be made', ({expect}) => {
    mkdirSync(directory);
    writeFileSync(join(directory, 'homes'), 'in the way');
    expect(learningHome(directory, real())).toBeUndefined();
  });

  test('stays as long as it is used', ({expect}) => {
    const first = learningHome(directory, real()) ?? '';
    utimesOf(first, 100);
    learningHome(directory, real());
    sweepScripts(directory);
    expect(made()).toHaveLength(1);
    utimesOf(first, 100);
    sweepScripts(directory);
    expect(made()).toHaveLength(0);
    expect(readdirSync(join(home, 'bin'))).toEqual(['java']); // the real one is as it was
  });
});

const utimesOf = (path: string, daysAgo: number): void => {
  const at = Date.now() / 1000 - daysAgo * 86_400;
  utimesSync(path, at, at);
};
