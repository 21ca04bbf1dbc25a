import {chmodSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {beforeEach, describe, test} from 'vitest';
import {homeOf, javaHomeUse, linkHome} from '../../../../plugins/jvm-archive/src/java-home.js';
import type {Launch} from '../../../../src/plugin.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {releaseOf, stubJvm} from './stub-jvm.js';

const call = 'exec "$JAVA_HOME/bin/java" -jar app.jar "$@"';

describe('a script that does nothing with JAVA_HOME but call its java', () => {
  test.for([
    ['at once', call],
    ['in braces', 'exec "${JAVA_HOME}"/bin/java -jar app.jar'],
    ['by a variable', 'JAVACMD="$JAVA_HOME/bin/java"\n[ -x "$JAVACMD" ] || exit 1\nexec "$JAVACMD" "$@"'],
    ['where it is set', 'if [ -z "${JAVA_HOME:-}" ]; then J=java; else\n  J=$JAVA_HOME/bin/java\nfi\n$J -jar app.jar'],
    [
      'or says that there is none',
      `[ -x "$JAVA_HOME/bin/java" ] || die "set to an invalid directory: $JAVA_HOME"\n${call}`,
    ],
    ['and speaks of it', `# $JAVA_HOME: the JDK\necho "JAVA_HOME is looked at" >&2\n${call}`],
    ['and converts it elsewhere', `[ -n "$JAVA_HOME" ] &&\n  JAVA_HOME=\`cygpath --unix "$JAVA_HOME"\`\n${call}`],
  ] as const)('%s', ([, text], {expect}) => {
    expect(javaHomeUse(text)).toEqual({sources: []});
  });

  test('and reads other files in, which are named', ({expect}) => {
    expect(javaHomeUse(`. /etc/apprc\n[ -f x ] && true\n  source "$HOME/.apprc"\n${call}`)?.sources).toEqual([
      '/etc/apprc',
      '"$HOME/.apprc"',
    ]);
  });
});

describe('a script is left alone that', () => {
  test.for([
    ['calls another java', 'exec java -jar app.jar'],
    ['prints it', `echo "Using $JAVA_HOME"\n${call}`],
    ['prints where java is', `echo "Using $JAVA_HOME/bin/java"\n${call}`],
    ['prints the variable with java in it', 'J=$JAVA_HOME/bin/java\necho "Using ${J}"\nexec $J "$@"'],
    ['writes it down', `cat >conf <<END\n$JAVA_HOME\nEND\n${call}`],
    ['gives it to the program', 'exec "$JAVA_HOME/bin/java" -Dhome="$JAVA_HOME" -jar app.jar'],
    ['looks for something else in it', `[ -f "$JAVA_HOME/lib/tools.jar" ] && CP=x\n${call}`],
    ['calls another tool of it', `"$JAVA_HOME/bin/javac" -version\n${call}`],
    ['changes it', `JAVA_HOME=/opt/jdk\n${call}`],
    ['has a default for it', `: \${JAVA_HOME:=/opt/jdk}\n${call}`],
    ['exports it', `export JAVA_HOME\n${call}`],
    ['asks for it by name', `printenv JAVA_HOME\n${call}`],
    ['prints its environment', `env\n${call}`],
    ['prints its variables', `set | grep JAVA\n${call}`],
  ] as const)('%s', ([, text], {expect}) => {
    expect(javaHomeUse(text)).toBeUndefined();
  });
});

describe('the home of a launch', () => {
  let root: string;
  let home: string;
  beforeEach(async () => {
    root = await temporaryDirectory('java-home');
    home = join(root, 'jdk');
    stubJvm(home, {release: releaseOf('17')});
  });
  const launch = (own: string): Launch => ({env: {JAVA_HOME: own, HOME: root}}) as unknown as Launch;

  test('is the one that the script would have used', ({expect}) => {
    expect(homeOf(launch(home), {sources: []})).toBe(home);
    expect(homeOf(launch(`${home}/`), {sources: ['"$HOME/.rc"', '/nowhere/rc']})).toBe(`${home}/`);
  });

  test('is none of ours to replace where the script would do something else', ({expect}) => {
    expect(homeOf(launch('jdk'), {sources: []})).toBeUndefined();
    expect(homeOf(launch(join(root, 'nowhere')), {sources: []})).toBeUndefined();
    writeFileSync(join(root, '.rc'), '');
    for (const source of ['"$HOME/.rc"', '"$APP_HOME/env"', '$(find-it)'])
      expect(homeOf(launch(home), {sources: [source]})).toBeUndefined();
    chmodSync(join(home, 'bin/java'), 0o644);
    expect(homeOf(launch(home), {sources: []})).toBeUndefined();
    chmodSync(join(home, 'bin/java'), 0o755);
    mkdirSync(join(home, 'jre/bin'), {recursive: true});
    writeFileSync(join(home, 'jre/bin/java'), '');
    expect(homeOf(launch(home), {sources: []})).toBeUndefined();
  });

  test('is there behind the shim, but for java; and removing ours leaves it', ({expect}) => {
    writeFileSync(join(home, 'bin/keytool'), '');
    const shim = join(root, 'ours/bin/java');
    linkHome(shim, home);
    linkHome(shim, home); // again: what is there stays
    const ours = dirname(dirname(shim));
    expect(readdirSync(ours).sort()).toEqual(['bin', 'lib', 'release']);
    expect(readdirSync(join(ours, 'bin'))).toEqual(['keytool']);
    expect(readlinkSync(join(ours, 'lib'))).toBe(join(home, 'lib'));
    rmSync(ours, {recursive: true});
    expect(readdirSync(join(home, 'bin')).sort()).toEqual(['java', 'keytool']);
  });
});
