import {existsSync} from 'node:fs';
import {mkdir, readdir, rm, symlink, utimes, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {describe, it} from 'vitest';
import type {OptimizationRecord} from '../../../src/model/record.js';
import type {SavingsReport} from '../../../src/views/savings.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {type Finished, run} from '../../rig/program.js';
import {releaseOf, stubJvm} from '../../unit/plugins/jvm-archive/stub-jvm.js';
import {jdk17, jdk25, writeProgram} from './java-program.js';

/** Every launch uses what is prepared for it: what a held back launch is, the ledger's tests show. */
const env = {BOOTCUT_HOLDBACK: '0'};
const optimization = 'jvm-archive/classes';

const store = (rig: LaunchRig): string => join(rig.home, '.cache', 'bootcut', 'optimizations', optimization);

const archives = async (rig: LaunchRig): Promise<readonly string[]> =>
  (await readdir(join(store(rig), 'archives')).catch(() => [])).filter((name) => name.endsWith('.jsa'));

type Row = SavingsReport['optimizations'][number];

const rows = async (rig: LaunchRig): Promise<readonly Row[]> =>
  (JSON.parse((await rig.run(['savings', '--json'])).stdout) as SavingsReport).optimizations;

/** How many preparations have come to an end, well or not. */
const preparations = async (rig: LaunchRig): Promise<number> =>
  (await rows(rig)).reduce((sum, {preparation}) => sum + preparation.times, 0);

/** Until so many preparations have ended. */
const untilPrepared = async (rig: LaunchRig, times: number): Promise<void> => {
  while ((await preparations(rig)) < times) await new Promise((resolve) => setTimeout(resolve, 50)); // its end is told to nobody
};

/** One launch through the daemon, and what became of the optimization in it. */
const launch = async (
  rig: LaunchRig,
  command: readonly string[],
  options: {readonly env?: Record<string, string>} = {},
): Promise<Finished & {readonly optimization: OptimizationRecord['state'] | undefined}> => {
  const finished = await rig.served(['run', '--', ...command], options);
  const {optimizations = []} = await rig.lastRecord();
  return {...finished, optimization: optimizations.find(({name}) => name === optimization)?.state};
};

/**
 * Launches until the archive is used, which is made behind one of them: nobody is told when. Each of them must show what is
 * `expected`.
 */
const untilUsed = async (
  rig: LaunchRig,
  command: readonly string[],
  expected: Finished,
  more: Record<string, string> = {},
): Promise<void> => {
  for (;;) {
    const {optimization, ...finished} = await launch(rig, command, {env: more});
    if (!isDeepStrictEqual(finished, expected))
      throw new Error(`${optimization ?? 'none'}: ${JSON.stringify(finished)}`);
    if (optimization === 'used') return;
    const failures = (await rows(rig)).flatMap(({preparation: {failure}}) => failure ?? []);
    if (failures.length > 0) throw new Error(`not prepared: ${failures.join('; ')}`);
  }
};

const direct = (rig: LaunchRig, command: readonly string[], more: Record<string, string> = {}): Promise<Finished> =>
  run(command, {cwd: rig.dir, env: rig.environment(more)});

/** Debian's: `apt-get install maven`. */
const maven = '/usr/share/maven/bin/mvn';

/** Finds its java as Gradle's start scripts do. */
const homeScript = (jar: string): string => `#!/bin/sh
die() { echo "$*"; exit 1; }
if [ -n "$JAVA_HOME" ] ; then
    if [ -x "$JAVA_HOME/jre/sh/java" ] ; then
        JAVACMD=$JAVA_HOME/jre/sh/java
    else
        JAVACMD=$JAVA_HOME/bin/java
    fi
    if [ ! -x "$JAVACMD" ] ; then
        die "ERROR: JAVA_HOME is set to an invalid directory: $JAVA_HOME"
    fi
else
    JAVACMD=java
fi
set -- -Dx=1 -jar '${jar}' "$@"
exec "$JAVACMD" "$@"
`;

const present = [jdk17, jdk25].filter((jdk) => jdk !== undefined);

describe.each(present)('a launch of JDK $feature', ({java}) => {
  it('J2: with --until is learnt from where the JVM could end, and not where it was killed', {
    timeout: 120_000,
  }, async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    writeProgram(join(rig.dir, 'program.jar'));
    await rig.startDaemon();
    const command = ['--until', 'up=log:/^hello/', '--', java, '-jar', 'program.jar'];
    const killed = await rig.served(['run', ...command, 'kill']);
    expect(killed.signal).toBe('SIGKILL');
    await untilPrepared(rig, 1);
    expect((await rows(rig))[0]?.preparation).toMatchObject({bytes: 0, failure: null});
    for (let state = 'learning'; state !== 'used'; state = (await rig.lastRecord()).optimizations?.[0]?.state ?? '') {
      const {status, stderr} = await rig.served(['run', ...command, '0']);
      expect({status, stderr}).toEqual({status: 0, stderr: 'to stderr\n'});
    }
    expect(await archives(rig)).toHaveLength(1);
    expect((await rows(rig))[0]).toMatchObject({endpoint: 'ready'});
  });

  it('J2: is learnt from once, then has its archive, and shows nothing of it in any state', {
    timeout: 180_000,
  }, async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    writeProgram(join(rig.dir, 'program.jar'));
    await rig.startDaemon();
    const command = [java, '-Dx=y z', '-jar', 'program.jar', '0', 'more'];
    const expected = await direct(rig, command);
    expect(expected).toMatchObject({status: 0, stderr: 'to stderr\n', stdout: expect.stringContaining('x=y z')});
    const launched = () => launch(rig, command);

    expect(await launched()).toEqual({...expected, optimization: 'learning'});
    await untilUsed(rig, command, expected);
    const [name = ''] = await archives(rig);
    const archive = join(store(rig), 'archives', name);
    const spoil: readonly [string, () => Promise<void>][] = [
      ['cut off', () => writeFile(archive, 'cut off')],
      ['unreadable', async () => (await rm(archive, {force: true}), await mkdir(archive))],
      ['missing', () => rm(archive, {recursive: true})],
      ['of a program that was touched', () => utimes(join(rig.dir, 'program.jar'), 1, 1)],
    ];
    for (const [state, work] of spoil) {
      await work();
      expect([state, await launched()]).toEqual([state, {...expected, optimization: 'learning'}]);
      await untilUsed(rig, command, expected);
    }
    expect(await archives(rig)).toHaveLength(1);
    const left = await readdir(join(store(rig), 'learnt')).catch(() => []);
    expect(left).toEqual([]);
  });

  it('ends as it would have, killed or with a status, and nothing is made of that', {timeout: 120_000}, async ({
    expect,
  }) => {
    await using rig = await LaunchRig.create({env});
    writeProgram(join(rig.dir, 'program.jar'));
    await rig.startDaemon();
    for (const [index, end] of ['kill', '7'].entries()) {
      const command = [java, '-jar', 'program.jar', end];
      const expected = await direct(rig, command);
      expect(await launch(rig, command)).toEqual({...expected, optimization: 'learning'});
      await untilPrepared(rig, index + 1);
    }
    expect(await archives(rig)).toEqual([]);
  });

  it('J3: with options in variables gets no line more on stderr', {timeout: 120_000}, async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    writeProgram(join(rig.dir, 'program.jar'));
    await rig.startDaemon();
    const command = [java, '-jar', 'program.jar', '0'];
    const variables = {
      JAVA_TOOL_OPTIONS: '-Dversion="1.8.0" \'-Dx=y z\'',
      JDK_JAVA_OPTIONS: '-Xmx200m',
      _JAVA_OPTIONS: '-Xss2m',
    };
    const expected = await direct(rig, command, variables);
    expect(expected.stderr.match(/Picked up/g)).toHaveLength(3);
    expect(await launch(rig, command, {env: variables})).toEqual({...expected, optimization: 'learning'});
    await untilUsed(rig, command, expected, variables);
    const off = {...variables, JAVA_TOOL_OPTIONS: '-Xshare:off'};
    expect(await launch(rig, command, {env: off})).toEqual({
      ...(await direct(rig, command, off)),
      optimization: undefined,
    });
  });

  it('through a start script has its archive too, and sees the PATH of the caller', {timeout: 120_000}, async ({
    expect,
  }) => {
    await using rig = await LaunchRig.create({env, path: [dirname(java)]});
    writeProgram(join(rig.dir, 'program.jar'));
    const start = await rig.script('start', `#!/bin/sh\nexec java -Dx="$0" -jar '${rig.dir}/program.jar' "$@"\n`);
    await rig.startDaemon();
    const command = [start, '0', 'more'];
    const expected = await direct(rig, command);
    expect(expected).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`PATH=${rig.env['PATH'] ?? ''} JAVA_HOME=null x=${start}`),
    });
    expect(await launch(rig, command)).toEqual({...expected, optimization: 'learning'});
    await untilUsed(rig, command, expected);
    expect(await archives(rig)).toHaveLength(1);
    await utimes(join(rig.dir, 'program.jar'), 1, 1);
    expect(await launch(rig, command)).toEqual({...expected, optimization: 'learning'});
    await untilUsed(rig, command, expected);
    expect(await archives(rig)).toHaveLength(1);
  });

  it('through a script that calls the java of JAVA_HOME, as Gradle’s do, has its archive and sees the home of the caller', {
    timeout: 120_000,
  }, async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    writeProgram(join(rig.dir, 'program.jar'));
    const start = await rig.script('start', homeScript(`${rig.dir}/program.jar`));
    await rig.startDaemon();
    const home = dirname(dirname(java));
    const command = [start, '0', 'more'];
    const expected = await direct(rig, command, {JAVA_HOME: home});
    expect(expected).toMatchObject({status: 0, stdout: expect.stringContaining(`JAVA_HOME=${home} x=1`)});
    expect(await launch(rig, command, {env: {JAVA_HOME: home}})).toEqual({...expected, optimization: 'learning'});
    await untilUsed(rig, command, expected, {JAVA_HOME: home});
    expect(await archives(rig)).toHaveLength(1);
    // It is used: with one that the shim cannot give, as it cannot any more, nothing would be mapped.
    const maps = await launch(rig, [start, 'maps'], {env: {JAVA_HOME: home}});
    expect(maps.stdout).toMatch(/\.jsa$/m);
    expect(maps.stdout).toContain(store(rig));
    const another = join(rig.root, 'same'); // by another name: the program sees that name
    await symlink(home, another);
    expect((await launch(rig, command, {env: {JAVA_HOME: another}})).stdout).toContain(`JAVA_HOME=${another} x=1`);
    const nowhere = {JAVA_HOME: join(rig.root, 'nowhere')};
    expect(await launch(rig, command, {env: nowhere})).toMatchObject(await direct(rig, command, nowhere));
  });

  it.skipIf(!existsSync(maven))(
    'through Maven’s own script has its archive too',
    {timeout: 180_000},
    async ({expect}) => {
      await using rig = await LaunchRig.create({env});
      await rig.startDaemon();
      const home = {JAVA_HOME: dirname(dirname(java))};
      const command = [maven, '--version'];
      const expected = await direct(rig, command, home);
      expect(expected.stdout).toContain(`runtime: ${home.JAVA_HOME}`);
      expect(await launch(rig, command, {env: home})).toEqual({...expected, optimization: 'learning'});
      await untilUsed(rig, command, expected, home);
    },
  );

  it('twenty times at once makes one archive', {timeout: 180_000}, async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    writeProgram(join(rig.dir, 'program.jar'));
    await rig.startDaemon();
    const command = [java, '-jar', 'program.jar', '0'];
    const expected = await direct(rig, command);
    const all = await Promise.all(Array.from({length: 20}, () => rig.run(['run', '--', ...command])));
    for (const finished of all) expect(finished).toEqual(expected);
    await untilUsed(rig, command, expected);
    expect(await archives(rig)).toHaveLength(1);
  });
});

describe('J2: a java that archives are not for', () => {
  const show = `#!/bin/sh\necho "called with $*"\nexit 4\n`;
  it.for([
    ['8', {release: releaseOf('1.8.0_402'), java: show}],
    ['11', {release: releaseOf('11.0.22'), java: show}],
    ['OpenJ9 17', {release: releaseOf('17', 'JVM_VARIANT="Openj9"\n'), java: show}],
    ['jenv’s shim', {files: [], java: show}],
  ] as const)('is called as it would have been: %s', async ([, stub], {expect}) => {
    await using rig = await LaunchRig.create({env});
    const java = stubJvm(join(rig.root, 'jdk'), stub);
    writeProgram(join(rig.dir, 'program.jar'));
    await rig.startDaemon();
    const command = [java, '-jar', 'program.jar'];
    const expected = await direct(rig, command);
    expect(expected).toMatchObject({stdout: 'called with -jar program.jar\n', status: 4});
    expect(await launch(rig, command)).toEqual({...expected, optimization: undefined});
  });

  it.for([
    ['21', ''],
    ['21, GraalVM', 'GRAALVM_VERSION="23.1.0"\n'],
  ])('where it cannot make one stays as it is, and savings says why: %s', async ([, release], {expect}) => {
    await using rig = await LaunchRig.create({env});
    const failing =
      '#!/bin/sh\ncase "$*" in *Xshare:dump*) echo "no archives today" >&2; exit 1;; esac\necho "${*##*-jar}"\n';
    const java = stubJvm(join(rig.root, 'jdk'), {release: releaseOf('21.0.1', release), java: failing});
    writeProgram(join(rig.dir, 'program.jar'));
    await rig.startDaemon();
    const command = [java, '-jar', 'program.jar'];
    const expected = await direct(rig, command);
    expect(await launch(rig, command)).toEqual({...expected, optimization: 'learning'});
    await untilPrepared(rig, 1);
    expect((await rows(rig))[0]?.preparation.failure).toContain('listed no classes');
    expect(await launch(rig, command)).toEqual({...expected, optimization: 'not-prepared'});
  });

  it('with no place to write to is called as it would have been', async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    if (jdk17 === undefined) throw new Error('no JDK 17');
    writeProgram(join(rig.dir, 'program.jar'));
    await mkdir(dirname(store(rig)), {recursive: true});
    await writeFile(store(rig), 'a file where the directory should be');
    await rig.startDaemon();
    const command = [jdk17.java, '-jar', 'program.jar', '0'];
    expect(await rig.served(['run', '--', ...command])).toEqual(await direct(rig, command));
    await rm(store(rig));
    await mkdir(store(rig));
    await writeFile(join(store(rig), 'learnt'), 'a file where the directory should be');
    expect(await launch(rig, command)).toEqual({...(await direct(rig, command)), optimization: undefined});
  });
});
