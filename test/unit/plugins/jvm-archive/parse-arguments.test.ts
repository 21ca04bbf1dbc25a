import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, test} from 'vitest';
import {splitArgumentFile} from '../../../../plugins/jvm-archive/src/argument-file.js';
import {isLayout} from '../../../../plugins/jvm-archive/src/java-options.js';
import {parseJavaArguments} from '../../../../plugins/jvm-archive/src/parse-arguments.js';
import {splitOptions} from '../../../../plugins/jvm-archive/src/split-options.js';
import type {JavaArguments} from '../../../../plugins/jvm-archive/src/types.js';

const directory = mkdtempSync(join(tmpdir(), 'bootcut-java-args-'));
afterAll(() => rmSync(directory, {recursive: true}));

const parse = (args: readonly string[], env: Record<string, string> = {}): JavaArguments | undefined =>
  parseJavaArguments({args, env, cwd: directory});

describe('a call of java', () => {
  test('of a jar: the jar is the class path, whatever else is said', ({expect}) => {
    expect(parse(['-Xmx1g', '-cp', 'x', '-jar', 'app.jar', '-Xshare:off', '-version'], {CLASSPATH: 'y'})).toEqual({
      options: ['-Xmx1g'],
      classPath: 'app.jar',
      modulePath: undefined,
      main: {kind: 'jar', path: 'app.jar'},
    });
    expect(parse(['-jar', '-Dx=y', 'app.jar'])).toMatchObject({
      options: ['-Dx=y'],
      main: {kind: 'jar', path: 'app.jar'},
    });
  });

  test.for([['-cp', 'a:b'], ['-classpath', 'a:b'], ['--class-path', 'a:b'], ['--class-path=a:b']])(
    'of a class, with %s',
    (args, {expect}) => {
      expect(parse([...args, 'app.Main', '--help'], {CLASSPATH: 'y'})).toMatchObject({
        classPath: 'a:b',
        main: {kind: 'class', name: 'app.Main'},
      });
    },
  );

  test('of a class without -cp takes CLASSPATH, else the current directory', ({expect}) => {
    expect(parse(['Main'], {CLASSPATH: 'y.jar'})?.classPath).toBe('y.jar');
    expect(parse(['Main'])?.classPath).toBe('.');
    expect(parse(['Main'], {CLASSPATH: ''})?.classPath).toBe('.');
  });

  test.for([
    ['-p', 'mods', '-m', 'm/p.Main'],
    ['--module-path=mods', '--module=m/p.Main'],
  ])('of a module: %s', (args, {expect}) => {
    expect(parse(['--add-modules', 'java.sql', ...args, 'x'])).toEqual({
      options: ['--add-modules=java.sql'],
      classPath: undefined,
      modulePath: 'mods',
      main: {kind: 'module', name: 'm/p.Main'},
    });
  });

  test('takes an option of two items whole, wherever that leads', ({expect}) => {
    expect(parse(['--add-opens', 'java.base/java.lang=ALL-UNNAMED', '-cp', 'a', 'Main'])).toMatchObject({
      options: ['--add-opens=java.base/java.lang=ALL-UNNAMED'],
      main: {name: 'Main'},
    });
    expect(parse(['-cp'])).toBeUndefined();
    expect(parse(['--add-opens'])).toBeUndefined();
    expect(parse([])).toBeUndefined();
  });

  test('reads argument files as the launcher does', ({expect}) => {
    writeFileSync(
      join(directory, 'args'),
      '-cp "a b.jar":c.jar # the class path\n-Dx="q\\\\u\\"r"\n -Xmx1g \'p.Main\' more',
    );
    expect(parse(['@args', '@not-read'])).toMatchObject({
      options: ['-Dx=q\\u"r', '-Xmx1g'],
      classPath: 'a b.jar:c.jar',
      main: {name: 'p.Main'},
    });
    expect(parse(['@missing', '-jar', 'a.jar'])).toBeUndefined();
    writeFileSync(join(directory, 'nested'), '@args');
    expect(parse(['@nested'])).toBeUndefined();
    writeFileSync(join(directory, 'off'), '-Xshare:off');
    expect(parse(['@off', '-jar', 'a.jar'])).toBeUndefined();
  });

  test('takes an argument file apart by its rules', ({expect}) => {
    expect(splitArgumentFile('a\tb\r\nc#d #e f\n"x \\\n   y" \'q"\' "" un\\quoted "tail')).toEqual([
      ...['a', 'b', 'c#d', 'x y', 'q"', '', 'un\\quoted', 'tail'],
    ]);
    expect(splitArgumentFile('"\\t\\n\\z" # only\n#\n')).toEqual(['\t\nz']);
  });

  test('takes variables apart as the JVM does', ({expect}) => {
    expect(splitOptions(`  -Dversion="1.8.0" '-Dx=y z'\t-Xmx1g "" `)).toEqual([
      '-Dversion=1.8.0',
      '-Dx=y z',
      '-Xmx1g',
      '',
    ]);
    expect(splitOptions('-Dx="open')).toBeUndefined();
    expect(splitOptions('')).toEqual([]);
  });

  test('counts options in the order in which the JVM does', ({expect}) => {
    const env = {JAVA_TOOL_OPTIONS: '-Xmx1g', JDK_JAVA_OPTIONS: '-Xmx2g', _JAVA_OPTIONS: '-Xmx4g'};
    expect(parse(['-Xmx3g', '-jar', 'a.jar'], env)?.options).toEqual(['-Xmx1g', '-Xmx2g', '-Xmx3g', '-Xmx4g']);
  });
});

describe('J2: a call is left alone', () => {
  const usersOwn = [
    ...['-Xshare:off', '-Xshare:auto', '-Xshare:on', '-Xshare:dump', '-XX:SharedArchiveFile=a.jsa', '-XX:AOTMode=off'],
    ...['-XX:AOTCache=a.aot', '-XX:AOTCacheOutput=a', '-XX:ArchiveClassesAtExit=a.jsa', '-XX:+AutoCreateSharedArchive'],
    ...['-XX:SharedClassListFile=a', '-XX:DumpLoadedClassList=a', '-XX:+AOTClassLinking', '-XX:-UseSharedSpaces'],
  ];
  test.for(usersOwn)('with flags of the user’s own: %s', (flag, {expect}) => {
    writeFileSync(join(directory, 'own'), flag);
    expect(parse([flag, '-jar', 'a.jar'])).toBeUndefined();
    expect(parse(['-jar', flag, 'a.jar'])).toBeUndefined();
    expect(parse(['@own', '-jar', 'a.jar'])).toBeUndefined();
    for (const name of ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS']) {
      expect(parse(['-jar', 'a.jar'], {[name]: `-Dx=y ${flag}`})).toBeUndefined();
    }
  });

  const risky = [
    ...['-javaagent:a.jar', '-agentlib:jdwp=transport=dt_socket', '-agentpath:/a.so', '-Xrunjdwp', '-Xdebug'],
    ...['-version', '--version', '-showversion', '-help', '--help', '-h', '-?', '-X', '--list-modules', '--dry-run'],
    ...['-verbose', '-verbose:class', '-Xlog:class+load', '-Xlog:all=debug', '-Xlog:cds', '-Xlog:gc,class', '-Xlog'],
    ...[
      '-XX:+PrintFlagsFinal',
      '-XX:Flags=f',
      '-XX:VMOptionsFile=f',
      '-XX:+FlightRecorder',
      '-Xverify:all',
      '-Xlog:aot',
    ],
    ...['--limit-modules=java.base', '--patch-module=a=b', '--upgrade-module-path=x', '-Xbootclasspath/a:x.jar'],
    ...['-Djava.system.class.loader=x', '-Djava.class.path=x', '-Djdk.module.path=x', '--some-future-option'],
  ];
  test.for(risky)('with an option under which archives do not work or show: %s', (flag, {expect}) => {
    expect(parse([flag, '-jar', 'a.jar'])).toBeUndefined();
  });

  test('where a source file is started', ({expect}) => {
    expect(parse(['Program.java'])).toBeUndefined();
    expect(parse(['--source', '17', 'Program'])).toBeUndefined();
  });

  test('but not for options that change nothing', ({expect}) => {
    const flags = [
      '-ea',
      '-ea:a...',
      '-Xms1m',
      '-Xss1m',
      '-Xlog:gc*:file=gc.log',
      '-Xlog:safepoint',
      '-verbose:gc',
      '-server',
    ];
    const more = [
      '-XX:+UseZGC',
      '-XX:MaxRAMPercentage=50',
      '-XX:+HeapDumpOnOutOfMemoryError',
      '--enable-preview',
      '-Dx=-Xshare:off',
    ];
    for (const flag of [...flags, ...more])
      expect([flag, parse([flag, '-jar', 'a.jar'])?.options]).toEqual([flag, [flag]]);
  });

  test('only what decides the layout is passed to the JVM that makes the archive', ({expect}) => {
    const passed = [
      '-Xmx1g',
      '-XX:+UseZGC',
      '-XX:-UseCompressedOops',
      '-XX:ObjectAlignmentInBytes=16',
      '--enable-preview',
    ];
    const kept = [
      '-Dsecret=x',
      '-Xlog:gc:file=gc.log',
      '-XX:+HeapDumpOnOutOfMemoryError',
      '-XX:OnOutOfMemoryError=rm x',
      '-ea',
    ];
    expect(passed.filter(isLayout)).toEqual(passed);
    expect(kept.filter(isLayout)).toEqual([]);
  });
});
