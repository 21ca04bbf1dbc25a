import {chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {OptimizationPlan, PlanEdit} from 'bootcut/plugin';
import {afterAll, beforeEach, describe, test} from 'vitest';
import {keepArchive} from '../../../../plugins/jvm-archive/src/archive-store.js';
import plugin from '../../../../plugins/jvm-archive/src/index.js';
import {archiveNotePath, archivePath} from '../../../../plugins/jvm-archive/src/names.js';
import {findWay} from '../../../../plugins/jvm-archive/src/plan-archive.js';
import {makeLaunch} from '../agent-vm/launch.js';
import {emptyJar} from './empty-jar.js';
import {elf, releaseOf, stubJvm} from './stub-jvm.js';

let root: string;
let directory: string;
let jar: string;
const made: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bootcut-plan-'));
  made.push(root);
  directory = join(root, 'store');
  mkdirSync(directory, {mode: 0o700});
  jar = join(root, 'app.jar');
  writeFileSync(jar, emptyJar);
});
afterAll(() => made.forEach((path) => rmSync(path, {recursive: true, force: true})));

const launchOf = (
  argv: readonly string[],
  changes: {env?: Record<string, string>; id?: string; runtime?: string} = {},
) => makeLaunch({verb: 'run', runtime: 'process', argv, cwd: root, env: {PATH: '/nowhere'}, ...changes});

const plan = (...given: Parameters<typeof launchOf>): OptimizationPlan | undefined =>
  plugin.optimizations[0]?.plan(launchOf(...given), {directory});

const java = (version: string): string => stubJvm(join(root, `jdk${version}`), {release: releaseOf(version)});

const flags = (edits: readonly PlanEdit[] | undefined): readonly string[] =>
  (edits ?? []).flatMap((edit) => (edit.kind === 'insert-args' ? edit.args : []));

/** As if an archive had been made for this launch. */
const archived = (argv: readonly string[], text = 'an archive'): string => {
  const way = findWay(launchOf(argv), directory);
  if (way?.kind !== 'call') throw new Error('no application');
  const path = archivePath(directory, way.application.key);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
  keepArchive(directory, way.application);
  return path;
};

describe('a launch of java', () => {
  test.for([
    ['13', '-Xlog:cds*=off'],
    ['17.0.15', '-Xlog:cds*=off'],
    ['21-ea', '-Xlog:cds*=off'],
    ['25.0.3', '-Xlog:cds*=off,aot*=off'],
  ] as const)('of version %s is learnt from', ([version, quiet], {expect}) => {
    const found = plan([java(version), '-jar', 'app.jar', '-x'], {id: 'l1'});
    const classes = join(directory, 'learnt/l1/classes');
    expect(found).toMatchObject({label: 'app.jar', subject: ['call', expect.any(String)]});
    expect(found?.use).toBeUndefined();
    expect(found?.learn).toEqual([
      {kind: 'write-file', path: classes, text: ''},
      {kind: 'insert-args', at: 1, args: [`-XX:DumpLoadedClassList=${classes}`, quiet]},
    ]);
    expect(existsSync(join(directory, 'learnt'))).toBe(false);
  });

  test('is given its archive, in front of every option of the user’s', ({expect}) => {
    const argv = [java('17'), '-Xmx1g', '-jar', 'app.jar'];
    const before = plan(argv);
    const path = archived(argv);
    const found = plan(argv);
    expect(found?.subject).toEqual(before?.subject);
    expect(found?.learn).toBeUndefined();
    expect(found?.prepared).toMatch(/^\d+:/);
    expect(found?.use).toEqual([
      {kind: 'insert-args', at: 1, args: [`-XX:SharedArchiveFile=${path}`, '-Xlog:cds*=off']},
    ]);
  });

  test('J2: of a JVM that takes no such flags, or is no HotSpot, is left alone', ({expect}) => {
    for (const version of ['1.8.0_402', '11.0.22', '12']) {
      expect([version, plan([java(version), '-jar', 'app.jar'])]).toEqual([version, undefined]);
    }
    const openj9 = stubJvm(join(root, 'j9'), {release: releaseOf('21', 'JVM_VARIANT="Openj9"\n')});
    const jenv = stubJvm(join(root, 'jenv'), {files: []});
    for (const other of [openj9, jenv, '/bin/true', 'missing'])
      expect(plan([other, '-jar', 'app.jar'])).toBeUndefined();
  });

  test('with the user’s own archive flags is left alone, wherever they stand', ({expect}) => {
    const argv = [java('17'), '-jar', 'app.jar'];
    archived(argv);
    expect(plan(argv)?.use).toBeDefined();
    expect(plan([argv[0] ?? '', '-Xshare:off', ...argv.slice(1)])).toBeUndefined();
    for (const name of ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS']) {
      expect(plan(argv, {env: {PATH: '/nowhere', [name]: '-XX:SharedArchiveFile=mine.jsa'}})).toBeUndefined();
    }
  });

  test('through another runtime, or with a store that a flag cannot name, is left alone', ({expect}) => {
    const argv = [java('17'), '-jar', 'app.jar'];
    expect(plan(argv, {runtime: 'qemu'})).toBeUndefined();
    const optimization = plugin.optimizations[0];
    for (const odd of [`${root}/a:b`, `${root}/a%b`]) {
      mkdirSync(odd);
      expect(optimization?.plan(launchOf(argv), {directory: odd})).toBeUndefined();
    }
  });

  test('of a JVM that has to be asked first is not changed', ({expect}) => {
    const unknown = stubJvm(join(root, 'unknown'), {java: elf});
    expect(plan([unknown, '-jar', 'app.jar'])).toEqual({
      subject: ['jvm', expect.stringContaining(unknown)],
      label: 'java',
      learn: [],
    });
  });

  test('never changes variables: each of them would make the JVM say so on stderr', ({expect}) => {
    const argv = [java('25'), '-jar', 'app.jar'];
    const kinds = (found: OptimizationPlan | undefined) =>
      [...(found?.learn ?? []), ...(found?.use ?? [])].map(({kind}) => kind);
    expect(kinds(plan(argv))).not.toContain('set-env');
    archived(argv);
    expect(kinds(plan(argv))).toEqual(['insert-args']);
  });

  test('is not learnt from where the list of classes could not be written: the JVM would say so', ({expect}) => {
    const argv = [java('17'), '-jar', 'app.jar'];
    expect(plan(argv)?.learn).toBeDefined();
    writeFileSync(join(directory, 'learnt'), 'a file where the directory should be');
    expect(plan(argv)).toBeUndefined();
    rmSync(directory, {recursive: true});
    expect(plan(argv)?.learn).toBeDefined(); // it makes its directory itself
    rmSync(directory, {recursive: true});
    writeFileSync(directory, '');
    expect(plan(argv)).toBeUndefined();
  });
});

describe('an archive is not used', () => {
  const spoilt: readonly [string, (path: string, note: string) => void][] = [
    ['missing', (path) => rmSync(path)],
    ['a directory', (path) => (rmSync(path), mkdirSync(path))],
    ['cut off', (path) => writeFileSync(path, readFileSync(path).subarray(0, 3))],
    ['empty', (path) => writeFileSync(path, '')],
    ['written to without changing its size', (path) => writeFileSync(path, 'AN ARCHIVE')],
    ['touched', (path) => utimesSync(path, 1, 1)],
    ['of other rights', (path) => chmodSync(path, 0o000)],
    ['without its note', (_, note) => rmSync(note)],
    ['with a note cut off', (_, note) => writeFileSync(note, readFileSync(note).subarray(0, 20))],
    ['with an empty note', (_, note) => writeFileSync(note, '')],
    ['with a note of zero bytes', (_, note) => writeFileSync(note, Buffer.alloc(100))],
    ['with a note of another shape', (_, note) => writeFileSync(note, '{"identity":["x"],"bytes":"1","content":{}}')],
    ['with a directory for a note', (_, note) => (rmSync(note), mkdirSync(note))],
  ];
  test.for(spoilt)('C1: that is %s; the launch is learnt from again', ([, spoil], {expect}) => {
    const argv = [java('25'), '-jar', 'app.jar'];
    const path = archived(argv);
    expect(flags(plan(argv)?.use)).toHaveLength(2);
    spoil(path, path.replace(/\.jsa$/, '.json'));
    const found = plan(argv);
    expect(found?.use).toBeUndefined();
    expect(flags(found?.learn)[0]).toContain('DumpLoadedClassList');
  });

  test('after the program or its JVM has changed', ({expect}) => {
    const argv = [java('25'), '-jar', 'app.jar'];
    archived(argv);
    utimesSync(jar, 1, 1);
    expect(plan(argv)?.use).toBeUndefined();
    archived(argv);
    expect(plan(argv)?.use).toBeDefined();
    java('25');
    writeFileSync(join(root, 'jdk25/lib/server/libjvm.so'), 'an update of the same version');
    expect(plan(argv)?.use).toBeUndefined();
  });

  test('under another program’s name', ({expect}) => {
    const argv = [java('25'), '-jar', 'app.jar'];
    const path = archived(argv);
    expect(plan([...argv.slice(0, 1), '-XX:+UseZGC', ...argv.slice(1)])?.use).toBeUndefined();
    expect(existsSync(archiveNotePath(directory, path.slice(-36, -4)))).toBe(true);
  });
});

test('launches at the same time are learnt from in places of their own', ({expect}) => {
  const argv = [java('17'), '-jar', 'app.jar'];
  const [one, two] = ['l1', 'l2'].map((id) => flags(plan(argv, {id: id})?.learn)[0]);
  expect(one).not.toBe(two);
});
