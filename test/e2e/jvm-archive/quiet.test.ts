import {chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Launch, Preparation} from 'bootcut/plugin';
import {afterAll, describe, it} from 'vitest';
import {learningFlags, usingFlags} from '../../../plugins/jvm-archive/src/jvm-flags.js';
import {classListPath} from '../../../plugins/jvm-archive/src/names.js';
import {findWay, planArchive} from '../../../plugins/jvm-archive/src/plan-archive.js';
import {prepareArchive} from '../../../plugins/jvm-archive/src/prepare-archive.js';
import {type Finished, run} from '../../rig/program.js';
import {makeLaunch} from '../../unit/plugins/agent-vm/launch.js';
import {type Jdk, jdk17, jdk25, writeProgram} from './java-program.js';

/*
 * What a JVM itself does with the flags that it is given, however the archive has fared since the launch was planned: that
 * nobody hears of it. The plan does not give it such an archive to begin with (test/unit/plugins/jvm-archive).
 */

const root = mkdtempSync(join(tmpdir(), 'bootcut-quiet-'));
afterAll(() => rmSync(root, {recursive: true, force: true}));

interface Place {
  readonly directory: string;
  readonly launch: Launch;
  readonly jar: string;
}

let count = 0;
const place = ({java}: Jdk): Place => {
  const cwd = join(root, `place-${(count += 1)}`);
  const directory = join(cwd, 'store');
  mkdirSync(directory, {recursive: true});
  const jar = join(cwd, 'program.jar');
  writeProgram(jar);
  const env = {PATH: process.env['PATH'] ?? ''};
  return {directory, jar, launch: makeLaunch({verb: 'run', runtime: 'process', argv: [java, '-jar', jar], cwd, env})};
};

const call = ({launch}: Place, flags: readonly string[] = [], more: readonly string[] = []): Promise<Finished> => {
  const [java = '', ...args] = launch.argv;
  return run([java, ...flags, ...more, ...args, '3'], {cwd: launch.cwd});
};

/** Learns from one run, as the launch would. */
const learn = async (at: Place, {feature}: Jdk): Promise<Finished> => {
  const classList = classListPath(at.directory, at.launch.id);
  mkdirSync(join(classList, '..'), {recursive: true});
  writeFileSync(classList, '');
  return await call(at, learningFlags(feature, classList));
};

const prepare = ({launch, directory}: Place, signal = new AbortController().signal): Promise<Preparation> =>
  prepareArchive(launch, {directory, signal, outcome: {kind: 'exited', code: 0}});

const archiveOf = ({launch, directory}: Place): string | undefined => {
  const [edit] = planArchive(launch, {directory})?.use ?? [];
  return edit?.kind === 'insert-args' ? edit.args[0]?.replace('-XX:SharedArchiveFile=', '') : undefined;
};

/** Somebody whom the mode of a file keeps from reading it, which root is not. */
const asOther = (launch: Launch, flags: readonly string[] = []): Launch => {
  const [java = '', ...args] = launch.argv;
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) chmodSync(root, 0o755);
  const other = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  return {...launch, argv: [...other, java, ...flags, ...args]};
};

const present = [jdk17, jdk25].filter((jdk) => jdk !== undefined);
const other = (jdk: Jdk): Jdk | undefined => present.find(({feature}) => feature !== jdk.feature);

it('there is a JDK 17 to test with', ({expect}) => expect(jdk17).toBeDefined());
it.skipIf(jdk25 !== undefined)('JDK 25 is not installed: its tests are left out');

describe.each(present)('JDK $feature', (jdk) => {
  it('says nothing of learning, of its archive, or of one that is missing, spoilt or not its own', {
    timeout: 180_000,
  }, async ({expect}) => {
    const at = place(jdk);
    const expected = await call(at);
    expect(expected).toMatchObject({status: 3, stderr: 'to stderr\n'});
    expect(await learn(at, jdk)).toEqual(expected);
    await prepare(at);
    const archive = archiveOf(at) ?? '';
    const bytes = readFileSync(archive);
    expect(await call(at, usingFlags(jdk.feature, archive))).toEqual(expected);

    const spoilt = join(root, 'spoilt.jsa');
    const states: readonly [string, Uint8Array][] = [
      ['empty', Buffer.alloc(0)],
      ['cut off in its head', bytes.subarray(0, 100)],
      ['cut off', bytes.subarray(0, bytes.length / 2)],
      ['cut off at its end', bytes.subarray(0, bytes.length - 4096)],
      ['another file', Buffer.alloc(1_000_000, 'no archive ')],
      ['all zero', Buffer.alloc(bytes.length)],
    ];
    for (const [state, text] of states) {
      writeFileSync(spoilt, text);
      expect([state, await call(at, usingFlags(jdk.feature, spoilt))]).toEqual([state, expected]);
    }
    for (const path of ['/nowhere/x.jsa', root, '/dev/null']) {
      expect([path, await call(at, usingFlags(jdk.feature, path))]).toEqual([path, expected]);
    }
    for (const option of [
      '-XX:+UseSerialGC',
      '-XX:+UseZGC',
      '-Xmx30g',
      '-XX:-UseCompressedOops',
      '-Xlog:gc:file=gc.log',
    ]) {
      expect([option, await call(at, usingFlags(jdk.feature, archive), [option])]).toEqual([option, expected]);
    }
    utimesSync(at.jar, 1, 1);
    expect(await call(at, usingFlags(jdk.feature, archive))).toEqual(expected);
  });

  it('says nothing of an archive that it may not read', async ({expect}) => {
    const at = place(jdk);
    await learn(at, jdk);
    await prepare(at);
    const locked = join(at.launch.cwd, 'locked.jsa');
    writeFileSync(locked, readFileSync(archiveOf(at) ?? ''));
    const expected = await call({...at, launch: asOther(at.launch)});
    expect(expected).toMatchObject({status: 3, stderr: 'to stderr\n'});
    const launch = asOther(at.launch, usingFlags(jdk.feature, locked));
    const mapped = async (): Promise<boolean> =>
      (await run([...launch.argv, 'maps'], {cwd: at.launch.cwd})).stdout.includes(locked);
    expect(await mapped()).toBe(true);
    chmodSync(locked, 0);
    expect(await call({...at, launch})).toEqual(expected);
    expect(await mapped()).toBe(false);
  });

  it.skipIf(other(jdk) === undefined)('says nothing of an archive that is another JVM’s', async ({expect}) => {
    const foreign = other(jdk) as Jdk;
    const [at, there] = [place(jdk), place(foreign)];
    await learn(there, foreign);
    await prepare(there);
    const expected = await call(at);
    expect(await call(at, usingFlags(jdk.feature, archiveOf(there) ?? ''))).toEqual(expected);
  });

  it('takes the program’s classes out of the archive, lambdas too', async ({expect}) => {
    const at = place(jdk);
    await learn(at, jdk);
    expect(await prepare(at)).toMatchObject({bytes: expect.any(Number), detail: expect.stringContaining('MiB')});
    const {stdout} = await call(at, usingFlags(jdk.feature, archiveOf(at) ?? ''), ['-Xlog:class+load']);
    expect(stdout).toMatch(/ Program source: shared objects file/);
    expect(stdout).toMatch(/ Program\$\$Lambda\S* source: shared objects file/);
    expect(statSync(archiveOf(at) ?? '').mode & 0o777).toBe(0o600);
  });

  it('makes one archive for two who prepare at once', async ({expect}) => {
    const at = place(jdk);
    await learn(at, jdk);
    const second: Place = {...at, launch: {...at.launch, id: 'launch-2' as Launch['id']}};
    await learn(second, jdk);
    const expected = await call(at);
    await Promise.all([prepare(at), prepare(second)]);
    expect(await call(at, usingFlags(jdk.feature, archiveOf(at) ?? 'none'))).toEqual(expected);
    expect(await files(at)).toEqual([expect.stringMatching(/\.jsa$/), expect.stringMatching(/\.json$/)]);
  });

  it('leaves nothing behind where making an archive is broken off', async ({expect}) => {
    const at = place(jdk);
    await learn(at, jdk);
    const stop = new AbortController();
    const preparing = prepare(at, stop.signal);
    stop.abort();
    await expect(preparing).rejects.toThrow('took too long');
    expect(await files(at)).toEqual([]);
    expect(archiveOf(at)).toBeUndefined();
  });

  it('makes no archive of a list that is no list, nor from a launch that was killed', async ({expect}) => {
    const at = place(jdk);
    await expect(prepare(at)).rejects.toThrow('listed no classes');
    await learn(at, jdk);
    const killed = {
      directory: at.directory,
      signal: new AbortController().signal,
      outcome: {kind: 'killed', signal: 9},
    } as const;
    expect(await prepareArchive(at.launch, killed)).toMatchObject({
      bytes: 0,
      detail: expect.stringContaining('killed'),
    });
    expect(await files(at)).toEqual([]);
    expect(findWay(at.launch, at.directory)?.kind).toBe('call');
  });
});

const files = async ({directory}: Place): Promise<readonly string[]> => {
  const {stdout} = await run(['find', directory, '-type', 'f', '-printf', '%f\n']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort();
};
