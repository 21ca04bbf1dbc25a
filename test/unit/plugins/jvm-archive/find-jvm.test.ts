import {mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, test} from 'vitest';
import {findJvm} from '../../../../plugins/jvm-archive/src/find-jvm.js';
import {answerPath} from '../../../../plugins/jvm-archive/src/names.js';
import {storeFile} from '../../../../plugins/jvm-archive/src/store-file.js';
import {elf, releaseOf, stubJvm} from './stub-jvm.js';

const root = mkdtempSync(join(tmpdir(), 'bootcut-jvms-'));
afterAll(() => rmSync(root, {recursive: true}));
const store = join(root, 'store');
let count = 0;
const home = (): string => join(root, `jdk-${(count += 1)}`);

describe('which JVM an executable is', () => {
  test.for([
    ['8', releaseOf('1.8.0_402'), 8],
    ['11', releaseOf('11.0.22'), 11],
    ['21', releaseOf('21.0.1', 'JVM_VARIANT="Hotspot"\n'), 21],
    ['25, early access', releaseOf('25-ea'), 25],
    ['GraalVM 21, a HotSpot', releaseOf('21.0.1', 'GRAALVM_VERSION="23.1.0"\n'), 21],
  ] as const)('is told by the files around it: %s', ([, release, feature], {expect}) => {
    const java = stubJvm(home(), {release});
    expect(findJvm(java, store)).toMatchObject({executable: java, feature});
  });

  test('is the same through links, as /usr/bin/java and SDKMAN’s current are', ({expect}) => {
    const java = stubJvm(home(), {release: releaseOf('21')});
    symlinkSync(java, join(root, 'alternative'));
    symlinkSync(join(root, 'alternative'), join(root, 'java'));
    expect(findJvm(join(root, 'java'), store)).toEqual(findJvm(java, store));
  });

  test('changes with each file that makes a build', ({expect}) => {
    const directory = home();
    const java = stubJvm(directory, {release: releaseOf('21')});
    const identity = (): string | undefined => findJvm(java, store)?.identity;
    const seen = [identity()];
    utimesSync(join(directory, 'lib/server/libjvm.so'), 1, 1);
    seen.push(identity());
    writeFileSync(join(directory, 'release'), releaseOf('21.0.1'));
    seen.push(identity());
    utimesSync(java, 1, 1);
    seen.push(identity(), identity());
    expect(new Set(seen).size).toBe(4);
  });

  test.for([
    ['OpenJ9 by its own word', {release: releaseOf('17', 'JVM_VARIANT="Openj9"\n')}],
    ['Semeru', {release: releaseOf('17').replace('Somebody', 'IBM Corporation')}],
    ['OpenJ9 by its files', {release: releaseOf('17'), files: ['lib/server/libjvm.so', 'lib/default/libj9vm29.so']}],
    ['a JVM without HotSpot’s library', {release: releaseOf('17'), files: []}],
    ['jenv’s shim, which decides at each start', {release: undefined, files: []}],
    ['a wrapper script in a JDK’s place, without a release', {release: undefined}],
  ] as const)('is none that we know: %s', ([, stub], {expect}) => {
    expect(findJvm(stubJvm(home(), stub), store)).toBeUndefined();
  });

  test('is none that we know where links lead to another program: mise and asdf', ({expect}) => {
    const mise = join(root, 'mise');
    writeFileSync(mise, elf, {mode: 0o755});
    symlinkSync(mise, join(root, 'shim-java'));
    expect(findJvm(join(root, 'shim-java'), store)).toBeUndefined();
    expect(findJvm(join(root, 'missing'), store)).toBeUndefined();
  });

  test('has to be asked of a real program without a release file, and is then known until it changes', ({expect}) => {
    const java = stubJvm(home(), {java: elf});
    const unknown = findJvm(java, store);
    expect(unknown).toMatchObject({executable: java, feature: undefined});
    storeFile(answerPath(store, unknown?.identity ?? ''), '{"feature":21}');
    expect(findJvm(java, store)).toMatchObject({feature: 21});
    utimesSync(java, 1, 1);
    expect(findJvm(java, store)).toMatchObject({feature: undefined});
  });

  test.for(['', '[]', 'null', '{"feature":"21"}', '\0\0', '{"feature":21'])(
    'C1: is unknown again where the answer has become %j',
    (text, {expect}) => {
      const java = stubJvm(home(), {java: elf});
      storeFile(answerPath(store, findJvm(java, store)?.identity ?? ''), text);
      expect(findJvm(java, store)).toMatchObject({feature: undefined});
    },
  );
});
