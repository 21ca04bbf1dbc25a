import {execFileSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeEach, describe, test} from 'vitest';
import {applicationOf} from '../../../../plugins/jvm-archive/src/application.js';
import {parseManifest, readManifest} from '../../../../plugins/jvm-archive/src/jar-manifest.js';

let directory: string;
const made: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bootcut-app-'));
  made.push(directory);
});
afterAll(() => made.forEach((path) => rmSync(path, {recursive: true, force: true})));

/** A real jar (of python's making: a JDK is not needed here) with this manifest. */
const jar = (name: string, manifest: string | undefined, compress = true): string => {
  const path = join(directory, name);
  mkdirSync(dirname(path), {recursive: true});
  const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED if sys.argv[3] == 'yes' else zipfile.ZIP_STORED) as jar:
    jar.writestr('some/Other.class', b'x' * 5000)
    if sys.argv[2] != 'none': jar.writestr('META-INF/MANIFEST.MF', sys.argv[2])
    jar.comment = b'PK\\x05\\x06 is no end'
`;
  execFileSync('python3', ['-c', script, path, manifest ?? 'none', compress ? 'yes' : 'no']);
  return path;
};

const jvm = {executable: '/jdk/bin/java', feature: 21, identity: 'jdk 21'};
const key = (args: readonly string[], changes: {cwd?: string; env?: Record<string, string>; identity?: string} = {}) =>
  applicationOf(
    {...jvm, identity: changes.identity ?? jvm.identity},
    {args, env: changes.env ?? {}, cwd: changes.cwd ?? directory},
  )?.key;

describe('the key of an archive', () => {
  test('is the same for launches of the same program, whatever they are told', ({expect}) => {
    jar('app.jar', 'Main-Class: Main\n');
    const first = key(['-Dpassword=a', '-jar', 'app.jar', 'build']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(key(['-Dpassword=b', '-jar', 'app.jar', 'test'])).toBe(first);
  });

  test('depends on JVM, flags, main class and the order of the class path', ({expect}) => {
    jar('a.jar', undefined);
    jar('b.jar', undefined);
    const keys = [
      key(['-cp', 'a.jar:b.jar', 'Main']),
      key(['-cp', 'b.jar:a.jar', 'Main']),
      key(['-cp', 'a.jar:b.jar', 'Other']),
      key(['-cp', 'a.jar:b.jar', '-XX:+UseZGC', 'Main']),
      key(['-cp', 'a.jar:b.jar', '-Dx=', 'Main']),
      key(['-cp', 'a.jar:b.jar', 'Main'], {identity: 'jdk 21, another build'}),
      key(['-cp', `${directory}/a.jar:b.jar`, 'Main']),
      key(['Main'], {env: {CLASSPATH: 'a.jar'}}),
    ];
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('changes when a jar is touched, rebuilt or moved', ({expect}) => {
    const path = jar('app.jar', undefined);
    const keys = [key(['-jar', 'app.jar'])];
    utimesSync(path, 1, 1);
    keys.push(key(['-jar', 'app.jar']));
    jar('app.jar', 'X: y\n');
    keys.push(key(['-jar', 'app.jar']));
    mkdirSync(join(directory, 'moved'));
    renameSync(path, join(directory, 'moved/app.jar'));
    keys.push(key(['-jar', 'app.jar'], {cwd: join(directory, 'moved')}));
    cpSync(join(directory, 'moved/app.jar'), path, {preserveTimestamps: true});
    keys.push(key(['-jar', 'app.jar']));
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('is left alone where a class of a manifest’s jar would have another place out of an archive', ({expect}) => {
    const of = (name: string): unknown => key(['-jar', name]);
    jar('real-1.jar', undefined);
    symlinkSync(join(directory, 'real-1.jar'), join(directory, 'linked.jar'));
    jar('app.jar', 'Main-Class: A\nClass-Path: real-1.jar gone.jar\n');
    expect(of('app.jar')).toBeDefined();
    jar('app.jar', 'Main-Class: A\nClass-Path: linked.jar\n');
    expect(of('app.jar')).toBeUndefined(); // real-1.jar, not linked.jar
    jar('app.jar', `Main-Class: A\nClass-Path: ${join(directory, 'linked.jar')} file:linked.jar\n`);
    expect(of('app.jar')).toBeDefined(); // of these nothing is archived
    // A jar that lies elsewhere, beside another file of the name that its manifest has.
    mkdirSync(join(directory, 'elsewhere'));
    jar('elsewhere/app-1.jar', 'Main-Class: A\nClass-Path: real-1.jar\n');
    symlinkSync('elsewhere/app-1.jar', join(directory, 'app-2.jar'));
    expect(of('app-2.jar')).toBeUndefined();
    jar('elsewhere/real-1.jar', undefined);
    expect(of('app-2.jar')).toBeUndefined();
    rmSync(join(directory, 'real-1.jar'));
    expect(of('app-2.jar')).toBeUndefined(); // what the JVM loads is not what it would archive
  });

  test('depends on jars that only a manifest names, of jars that only a manifest names too', ({expect}) => {
    jar('app.jar', 'Class-Path: lib/one.jar missing.jar\n  two.jar ./app.jar\n');
    jar('two.jar', 'Class-Path: three.jar\n');
    jar('lib/one.jar', 'class-path: ../four.jar http://host/x.jar\n', false);
    jar('three.jar', undefined);
    jar('four.jar', undefined);
    const keys = [key(['-jar', 'app.jar'])];
    for (const name of ['lib/one.jar', 'two.jar', 'three.jar', 'four.jar']) {
      utimesSync(join(directory, name), 1, 1);
      keys.push(key(['-jar', 'app.jar']));
    }
    jar('missing.jar', undefined);
    keys.push(key(['-jar', 'app.jar']));
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('depends on the jars of a wildcard and of a module path', ({expect}) => {
    jar('lib/a.jar', undefined);
    const both = (): readonly (string | undefined)[] => [
      key(['-cp', 'lib/*', 'Main']),
      key(['-p', 'lib', '-m', 'm/Main']),
    ];
    const seen = [...both()];
    jar('lib/b.jar', undefined);
    seen.push(...both());
    utimesSync(join(directory, 'lib/a.jar'), 1, 1);
    seen.push(...both());
    expect(seen).not.toContain(undefined);
    expect(new Set(seen).size).toBe(6);
  });

  test('follows links', ({expect}) => {
    const path = jar('real-1.jar', undefined);
    symlinkSync('real-1.jar', join(directory, 'app.jar'));
    const before = key(['-jar', 'app.jar']);
    utimesSync(path, 1, 1);
    expect(key(['-jar', 'app.jar'])).not.toBe(before);
  });
});

describe('there is no archive', () => {
  test('of classes in directories', ({expect}) => {
    jar('a.jar', undefined);
    mkdirSync(join(directory, 'classes'));
    expect(key(['-cp', 'a.jar:classes', 'Main'])).toBeDefined();
    writeFileSync(join(directory, 'classes/Main.class'), '');
    for (const path of ['a.jar:classes', 'classes', 'a.jar:', '.']) expect(key(['-cp', path, 'Main'])).toBeUndefined();
    expect(key(['Main'])).toBeUndefined();
    mkdirSync(join(directory, 'mods/m'), {recursive: true});
    expect(key(['-p', 'mods', '-m', 'm/Main'])).toBeUndefined();
  });

  test('of what is no jar, or starts an agent', ({expect}) => {
    writeFileSync(join(directory, 'text.jar'), 'this is not a zip file');
    writeFileSync(join(directory, 'empty.jar'), '');
    jar('agent.jar', 'Main-Class: M\r\nLauncher-Agent-Class: A\r\n');
    for (const name of ['text.jar', 'empty.jar', 'agent.jar', 'missing.jar']) {
      expect([name, key(['-jar', name])]).toEqual([name, undefined]);
    }
  });
});

test('a manifest is read by its rules: continued lines, the first section only, any line end', ({expect}) => {
  expect(
    parseManifest(
      'Manifest-Version: 1.0\r\nClass-Path: a.jar b\r\n .jar  c.jar\r\n\r\nName: x\r\nLauncher-Agent-Class: y\r\n',
    ),
  ).toEqual({classPath: ['a.jar', 'b.jar', 'c.jar'], hasAgent: false});
  expect(parseManifest('')).toEqual({classPath: [], hasAgent: false});
  expect(readManifest(jar('x.jar', 'Class-Path: y.jar\n'))).toEqual({classPath: ['y.jar'], hasAgent: false});
});
