/**
 * Real programs started from a file system of which nothing is in memory: without warm-pages, with their pages read ahead
 * beside the start, and with the launch expected, so that they had been read before it: on this machine's disk, and on one as
 * slow as a small cloud volume. Root only (loop device, mount, cgroup).
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, realpathSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {run} from '../test/rig/program.js';
import {type Arm, type Figure, interleave, publish, repository, rounds, seed} from './lib/bench.js';
import {makeSlowDisk} from './lib/slow-disk.js';
import {median, ratioInterval} from './lib/statistics.js';

if (process.geteuid?.() !== 0) {
  process.stdout.write('warm-pages: not measured, only root can mount a cold file system\n\n');
  process.exit(0);
}

/** AWS's gp3 and Azure's P10 have about this without extra pay: bytes and reads a second. */
const cloudVolume = {bytes: 125_000_000, reads: 3000};

/** The directory of the JDK, where there is one. */
const jdk = ((): string | undefined => {
  const {stdout, status} = spawnSync('sh', ['-c', 'command -v javac'], {encoding: 'utf8'});
  return status === 0 ? dirname(dirname(realpathSync(stdout.trim()))) : undefined;
})();

await using rig = await LaunchRig.create();
using disk = makeSlowDisk(rig.root, 800, (path) => {
  const copy = (from: string, to: string): void => {
    execFileSync('cp', ['-rL', from, join(path, to)], {stdio: 'ignore'});
  };
  copy(process.execPath, 'node');
  copy(join(repository, 'node_modules', 'typescript'), 'typescript');
  if (jdk !== undefined) execFileSync('cp', ['-a', jdk, join(path, 'jdk')]);
});
const at = (...parts: readonly string[]): string => join(disk.path, ...parts);
const programs: Readonly<Record<string, readonly string[]>> = {
  'tsc --version (Node)': [at('node'), at('typescript', 'lib', 'tsc.js'), '--version'],
  ...(jdk === undefined ? {} : {'javac (JVM)': [at('jdk', 'bin', 'javac'), '-proc:none', 'Hi.java']}),
};

/** Each is launched in a directory of its own: entering it, one launch is expected. */
const placeOf = (command: readonly string[]): string => {
  const place = join(rig.dir, command.some((part) => part.endsWith('javac')) ? 'java' : 'node');
  mkdirSync(place, {recursive: true});
  return place;
};
for (const command of Object.values(programs))
  writeFileSync(
    join(placeOf(command), 'Hi.java'),
    'class Hi { public static void main(String[] a) { System.out.println("hi"); } }\n',
  );

/** Times the program stopped for the disk (major page faults), by arm. A shell around it counts: /proc has it no longer then. */
const stops: Record<string, number[]> = {};
const counted = (command: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  '"$@" >/dev/null; cut -d " " -f 13 /proc/$$/stat',
  'sh',
  ...command,
];

const canLimit = disk.limit(undefined);
await rig.run(['config', 'set', 'plugins.warm-pages.memory', '512']);
await rig.run(['config', 'set', 'without', 'jvm-archive']);
await rig.run(['config', 'set', 'expect', 'false']); // or launches would be expected behind one another
await rig.startDaemon();

// Each is learnt from once, cold as it will be; then it is on, whatever the ledger says.
for (const command of Object.values(programs)) {
  disk.makeCold();
  await rig.served(['run', '--', ...counted(command)], {cwd: placeOf(command)});
}
await rig.run(['savings']);
await rig.run(['savings', 'switch', 'warm-pages', 'on']);
await rig.run(['config', 'set', 'holdback', '0']);

type Way = 'without' | 'read ahead' | 'expected';

const launched = async (arm: string, command: readonly string[], way: Way): Promise<number> => {
  const without = way === 'without' ? 'jvm-archive,warm-pages' : 'jvm-archive';
  const where = {env: rig.environment(), cwd: placeOf(command)};
  const began = performance.now();
  const {status, stdout, stderr} = await run([bootcut, 'run', '--without', without, '--', ...counted(command)], where);
  const took = performance.now() - began;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
  (stops[arm] ??= []).push(Number(stdout));
  return took;
};

/** Pages of the file system that are in memory, by the kernel's count (mincore). */
const residentPages = (): number => {
  const files = execFileSync('find', [disk.path, '-type', 'f', '-size', '+15k', '-print0'], {encoding: 'utf8'}).split(
    '\0',
  );
  const pages = execFileSync('fincore', ['--noheadings', '--output', 'PAGES', ...files.filter((file) => file !== '')], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  return pages.split('\n').reduce((sum, line) => sum + Number(line), 0);
};

/** What was in memory when a launch began that had been expected, by arm: MiB. */
const readBefore: Record<string, number[]> = {};

/** Somebody enters the directory; resolves when nothing more is read for a second. */
const expectLaunch = async (arm: string, command: readonly string[]): Promise<void> => {
  await rig.run(['config', 'set', 'expect', 'true']);
  await rig.run(['standby', 'start'], {cwd: placeOf(command)});
  await rig.run(['config', 'set', 'expect', 'false']);
  let [before, now] = [-1, residentPages()];
  for (let second = 0; second < 60 && (now === 0 || now !== before); second += 1) {
    await wait(1000);
    [before, now] = [now, residentPages()];
  }
  (readBefore[arm] ??= []).push((residentPages() * 4096) / 2 ** 20);
};

const cold =
  (arm: string, command: readonly string[], way: Way, limits?: typeof cloudVolume): Arm =>
  async () => {
    disk.limit(limits);
    disk.makeCold();
    if (way === 'expected') await expectLaunch(arm, command);
    return await launched(arm, command, way);
  };

const arms: Record<string, Arm> = {};
for (const [name, command] of Object.entries(programs)) {
  for (const way of ['without', 'read ahead', 'expected'] as const) {
    const [own, cloud, warm] = [`${name}, this disk: ${way}`, `${name}, cloud volume: ${way}`, `${name}, warm: ${way}`];
    arms[own] = cold(own, command, way);
    if (canLimit) arms[cloud] = cold(cloud, command, way, cloudVolume);
    if (way !== 'expected')
      arms[warm] = async () => {
        await launched('to warm up', command, 'without');
        return await launched(warm, command, way);
      };
  }
}
const samples = await interleave(rounds(10), arms);
const stopsOf = (arm: string): string => median(stops[arm] ?? []).toFixed(0);
const pairs = [...new Set(Object.keys(samples).map((name) => name.split(': ')[0] ?? ''))];

/** Without, and with: medians, the ratio of rounds with its 95 % interval, stops for the disk. */
const figure = (name: string, way: Way): Figure => {
  const [without, ahead] = [samples[`${name}: without`] ?? [], samples[`${name}: ${way}`] ?? []];
  const [low, high] = ratioInterval(without, ahead, seed);
  const before = readBefore[`${name}: ${way}`];
  return {
    what: `${name}: without → ${way}`,
    value: `${median(without).toFixed(0)} → ${median(ahead).toFixed(0)} ms (${(median(without) / median(ahead)).toFixed(2)} ×, 95 % ${low.toFixed(2)} to ${high.toFixed(2)}); stops for the disk ${stopsOf(`${name}: without`)} → ${stopsOf(`${name}: ${way}`)}${before === undefined ? '' : `; in memory before it ${median(before).toFixed(0)} MiB`}`,
  };
};

publish({
  name: 'warm-pages',
  title:
    'real programs from a cold file system: without, with pages read ahead beside the start, and before it (expected)',
  endpoint: `spawn of bootcut to the end of the program, by the parent’s clock; daemon running; nothing of the program’s files in memory, in the arms ‘expected’ what was read ahead since its directory was entered (cloud volume: ${cloudVolume.bytes / 1e6} MB/s and ${cloudVolume.reads} reads a second), or all of it (warm)`,
  figures: pairs.flatMap((name) => [
    figure(name, 'read ahead'),
    ...(samples[`${name}: expected`] === undefined ? [] : [figure(name, 'expected')]),
  ]),
  samples,
});
