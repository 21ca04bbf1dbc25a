import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeEach, describe, test} from 'vitest';
import {applicationOf} from '../../../../plugins/jvm-archive/src/application.js';
import {readRecordedCall} from '../../../../plugins/jvm-archive/src/recorded-call.js';
import {learningHomeShim, learningShim, learntVariable, usingShim} from '../../../../plugins/jvm-archive/src/shims.js';
import type {JavaCall} from '../../../../plugins/jvm-archive/src/types.js';
import {emptyJar} from './empty-jar.js';
import {releaseOf, stubJvm} from './stub-jvm.js';

let root: string;
let java: string;
let shim: string;
const made: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), `bootcut-shim's "-`));
  made.push(root);
  java = stubJvm(join(root, 'jdk'), {release: releaseOf('25')});
  shim = join(root, 'shims', 'java');
  mkdirSync(dirname(shim));
  writeFileSync(join(root, 'app.jar'), emptyJar);
});
afterAll(() => made.forEach((path) => rmSync(path, {recursive: true, force: true})));

const jvm = () => ({executable: java, feature: 25, identity: 'x'});

interface Caller {
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: bootcut's shim stands in front. */
  readonly path?: string;
}

/** What java says that a script of this shell calls. */
const call = (args: readonly string[], {shell = '/bin/sh', env = {}, path = behindShim()}: Caller = {}): string => {
  const {stdout, stderr, status} = spawnSync(shell, ['-c', 'java "$@"', 'sh', ...args], {
    cwd: root,
    env: {PATH: path, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0 || stderr !== '') throw new Error(`${status ?? 'no status'}: ${stderr}`);
  return stdout;
};

const ownPath = (): string => `${dirname(java)}:/usr/bin:/bin`;
const behindShim = (): string => `${dirname(shim)}:${ownPath()}`;

/** The same without us. */
const plain = (args: readonly string[], caller: Caller = {}): string => call(args, {...caller, path: ownPath()});
const withFlags = (flags: readonly string[], args: readonly string[], caller: Caller = {}): string =>
  plain([...flags, ...args], caller);

const place = () => ({call: join(root, 'call'), classList: join(root, 'classes')});
const install = (text: string): void => writeFileSync(shim, text, {mode: 0o755});
const learn = (): void => install(learningShim({path: shim, jvm: jvm(), java, ...place()}));
const learning = (): readonly string[] => [`-XX:DumpLoadedClassList=${place().classList}`, '-Xlog:cds*=off,aot*=off'];

const archive = '/archives/x.jsa';
const use = (recorded: JavaCall): void => {
  const application = applicationOf(jvm(), recorded);
  if (application === undefined) throw new Error('no application');
  install(usingShim({path: shim, java, home: undefined, application, archive}));
};
const using = ['-XX:SharedArchiveFile=/archives/x.jsa', '-Xlog:cds*=off,aot*=off'];

describe('the java of a launch that is learnt from', () => {
  test('writes down how it is called, and is called as it would have been', ({expect}) => {
    learn();
    const args = [
      '-cp',
      `${root}/app.jar`,
      '-Dpassword=secret',
      `-Dodd=a b'c"`,
      '-Xmx1g',
      'a.Main',
      '--token=secret',
      'x\ny',
    ];
    expect(call(args, {env: {CLASSPATH: 'c'}})).toBe(withFlags(learning(), args, {env: {CLASSPATH: 'c'}}));
    expect(readRecordedCall(place().call)).toEqual({
      cwd: root,
      env: {CLASSPATH: 'c'},
      args: ['-cp', `${root}/app.jar`, '-Dpassword=', '-Dodd=', '-Xmx1g', 'a.Main'],
    });
    expect(readFileSync(place().call, 'utf8')).not.toContain('secret');
  });

  test('is the first one only', ({expect}) => {
    learn();
    const args = ['-jar', 'app.jar'];
    expect(call(args)).toBe(withFlags(learning(), args));
    expect(call(['-jar', 'other.jar'])).toBe(plain(['-jar', 'other.jar']));
    expect(readRecordedCall(place().call)?.args).toEqual(args);
  });

  test.for([
    ['flags of its own', ['-Xshare:off', '-jar', 'app.jar'], {}],
    ['an agent', ['-javaagent:a.jar', '-jar', 'app.jar'], {}],
    ['an argument file', ['@args', '-jar', 'app.jar'], {}],
    ['JAVA_TOOL_OPTIONS', ['-jar', 'app.jar'], {JAVA_TOOL_OPTIONS: '-Dpassword=secret'}],
    ['_JAVA_OPTIONS', ['-jar', 'app.jar'], {_JAVA_OPTIONS: '-Xmx1g'}],
    ['JDK_JAVA_OPTIONS', ['-jar', 'app.jar'], {JDK_JAVA_OPTIONS: '-Xmx1g'}],
  ] as const)('is as it was where the script gives it %s', ([, args, env], {expect}) => {
    learn();
    expect(call(args, {env})).toBe(plain(args, {env}));
    expect(existsSync(place().call)).toBe(false);
  });

  test('is as it was where nothing can be written down', ({expect}) => {
    install(
      learningShim({
        path: shim,
        jvm: jvm(),
        java,
        call: '/nowhere/call',
        classList: '/nowhere/classes',
      }),
    );
    expect(call(['-jar', 'app.jar'])).toBe(plain(['-jar', 'app.jar']));
  });

  test('in a home of ours is told by a variable where to write, which the program does not see', ({expect}) => {
    const home = dirname(dirname(shim));
    install(learningHomeShim({path: shim, jvm: jvm(), java, home: '/the/real one'}));
    const env = {JAVA_HOME: home, [learntVariable]: root};
    const args = ['-Dpassword=secret', '-jar', 'app.jar'];
    const seen = {env: {JAVA_HOME: '/the/real one'}};
    // It is found through PATH here, which is not what it is for: there it stays.
    const behind = (text: string): string => text.replace(`PATH=${ownPath()}`, `PATH=${behindShim()}`);
    expect(call(args, {env})).toBe(behind(withFlags(learning(), args, seen)));
    expect(readRecordedCall(place().call)?.args).toEqual(['-Dpassword=', '-jar', 'app.jar']);
    rmSync(`${place().call}.taken`, {recursive: true});
    rmSync(place().call);
    const options = {JAVA_TOOL_OPTIONS: '-Dx=1'};
    expect(call(args, {env: {...env, ...options}})).toBe(behind(plain(args, {env: {...seen.env, ...options}})));
    expect(call(args, {env: {JAVA_HOME: home}})).toBe(behind(plain(args, seen))); // of a launch that is not learnt from
    expect(existsSync(place().call)).toBe(false);
  });

  test('a call that was cut off is none', ({expect}) => {
    writeFileSync(place().call, '/work\0\0-jar\0app.j');
    expect(readRecordedCall(place().call)).toBeUndefined();
    writeFileSync(place().call, '');
    expect(readRecordedCall(place().call)).toBeUndefined();
  });
});

describe('the java of a launch with an archive', () => {
  const args = (): readonly string[] => ['-cp', `${root}/app.jar`, '-Dhome=', '-ea', 'a.Main'];
  const recorded = (): JavaCall => ({cwd: root, env: {CLASSPATH: ''}, args: args()});

  test('has it when it is called as before, with other values and arguments', ({expect}) => {
    use(recorded());
    const given = ['-cp', `${root}/app.jar`, `-Dhome=a b'c`, '-ea', 'a.Main', '-x', '', 'a b'];
    expect(call(given)).toBe(withFlags(using, given));
  });

  test.for([
    ['another option', 2, '-Xmx1g'],
    ['another class path', 1, '/other.jar'],
    ['another main class', 4, 'b.Main'],
    ['a property with a longer name', 2, '-Dhomes=x'],
    ['flags of its own', 3, '-Xshare:off'],
  ] as const)('has none with %s', ([, at, arg], {expect}) => {
    use(recorded());
    const given = args().with(at, arg);
    expect(call(given)).toBe(plain(given));
  });

  test('has none when called shorter, or with variables of the JVM', ({expect}) => {
    use(recorded());
    expect(call(args().slice(0, 4))).toBe(plain(args().slice(0, 4)));
    for (const name of ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS', 'CLASSPATH']) {
      const env = {[name]: '-Xmx1g'};
      expect(call(args(), {env})).toBe(plain(args(), {env}));
    }
  });

  test('with a relative class path has it in that directory only', ({expect}) => {
    const relative = ['-jar', 'app.jar'];
    use({cwd: root, env: {}, args: relative});
    expect(call(relative)).toBe(withFlags(using, relative));
    mkdirSync(join(root, 'other'));
    const elsewhere = execFileSync('/bin/sh', ['-c', 'cd other && java -jar app.jar'], {
      cwd: root,
      env: {PATH: behindShim()},
      encoding: 'utf8',
    });
    expect(elsewhere.split('\n')[0]).toBe('[-jar][app.jar]');
  });
});

describe('whatever the script does to PATH', () => {
  const shims = ['use', 'learn'] as const;
  const installed = (kind: (typeof shims)[number]): void =>
    kind === 'learn' ? learn() : use({cwd: root, env: {}, args: ['-jar', `${root}/app.jar`]});
  /** A script's own words, then java. */
  const script = (text: string, env: Record<string, string> = {}): string =>
    execFileSync('/bin/sh', ['-c', text], {
      cwd: root,
      env: {PATH: behindShim(), ...env},
      encoding: 'utf8',
    });

  test.for(shims)('another java in front is called, without us (%s)', (kind, {expect}) => {
    installed(kind);
    const other = stubJvm(join(root, 'other-jdk'), {release: releaseOf('8'), java: '#!/bin/sh\necho other "$@"\n'});
    expect(script(`PATH='${dirname(other).replaceAll("'", `'\\''`)}':$PATH; java -x`)).toBe('other -x\n');
    // Behind our directory, but before the one that was expected: no flags for a JVM that we have not looked at.
    expect(
      script(`PATH=${'"$1"'}; java -jar app.jar`.replace('"$1"', `"$OURS:$THEIRS:$PATH"`), {
        OURS: dirname(shim),
        THEIRS: dirname(other),
      }),
    ).toBe('other -jar app.jar\n');
  });

  test.for(shims)('java does not call itself again (%s)', (kind, {expect}) => {
    installed(kind);
    const expected = new RegExp(`^\\[.*app\\.jar\\]\\n`);
    expect(script(`PATH="$OURS:$OURS:$PATH"; java -jar app.jar`, {OURS: dirname(shim)})).toMatch(expected);
    expect(script(`PATH="$OURS"; java -jar app.jar`, {OURS: dirname(shim)}).split('\n')[0]).toMatch(/app\.jar\]$/);
    expect(script(`PATH="$PATH:$OURS"; java -jar app.jar`, {OURS: dirname(shim)})).toMatch(expected);
  });

  test.for(['/bin/sh', '/bin/bash', '/bin/dash'])('the program sees nothing of us, from %s', (shell, {expect}) => {
    learn();
    const caller = {shell, env: {java: 'mine', call: 'mine', shims: 'mine'}};
    expect(call(['-jar', 'app.jar'], caller)).toBe(withFlags(learning(), ['-jar', 'app.jar'], caller));
  });
});
