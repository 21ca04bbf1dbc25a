/**
 * Real programs started from a file system of which nothing is in memory, with their pages read ahead beside the start and
 * without: on this machine's disk, and on one as slow as a small cloud volume. Root only (loop device, mount, cgroup).
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {realpathSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {run} from '../test/rig/program.js';
import {type Arm, interleave, publish, repository, rounds} from './lib/bench.js';
import {makeSlowDisk} from './lib/slow-disk.js';
import {median} from './lib/statistics.js';

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
writeFileSync(
  join(rig.dir, 'Hi.java'),
  'class Hi { public static void main(String[] a) { System.out.println("hi"); } }\n',
);
const at = (...parts: readonly string[]): string => join(disk.path, ...parts);
const programs: Readonly<Record<string, readonly string[]>> = {
  'tsc --version (Node)': [at('node'), at('typescript', 'lib', 'tsc.js'), '--version'],
  ...(jdk === undefined ? {} : {'javac (JVM)': [at('jdk', 'bin', 'javac'), '-proc:none', 'Hi.java']}),
};

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
const where = {env: rig.environment(), cwd: rig.dir};
await rig.run(['config', 'set', 'plugins.warm-pages.memory', '512']);
await rig.run(['config', 'set', 'without', 'jvm-archive']);
await rig.startDaemon();

// Each is learnt from once, cold as it will be; then it is on, whatever the ledger says.
for (const command of Object.values(programs)) {
  disk.makeCold();
  await rig.served(['run', '--', ...counted(command)]);
}
await rig.run(['savings']);
await rig.run(['savings', 'switch', 'warm-pages', 'on']);
await rig.run(['config', 'set', 'holdback', '0']);

const launched = async (arm: string, command: readonly string[], isAhead: boolean): Promise<number> => {
  const without = isAhead ? 'jvm-archive' : 'jvm-archive,warm-pages';
  const began = performance.now();
  const {status, stdout, stderr} = await run([bootcut, 'run', '--without', without, '--', ...counted(command)], where);
  const took = performance.now() - began;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
  (stops[arm] ??= []).push(Number(stdout));
  return took;
};

const cold =
  (arm: string, command: readonly string[], isAhead: boolean, limits?: typeof cloudVolume): Arm =>
  async () => {
    disk.limit(limits);
    disk.makeCold();
    return await launched(arm, command, isAhead);
  };

const arms: Record<string, Arm> = {};
for (const [name, command] of Object.entries(programs)) {
  for (const isAhead of [false, true]) {
    const way = isAhead ? 'read ahead' : 'without';
    const [own, cloud, warm] = [`${name}, this disk: ${way}`, `${name}, cloud volume: ${way}`, `${name}, warm: ${way}`];
    arms[own] = cold(own, command, isAhead);
    if (canLimit) arms[cloud] = cold(cloud, command, isAhead, cloudVolume);
    arms[warm] = async () => {
      await launched('to warm up', command, false);
      return await launched(warm, command, isAhead);
    };
  }
}
const samples = await interleave(rounds(10), arms);
const stopsOf = (arm: string): string => median(stops[arm] ?? []).toFixed(0);
const pairs = [...new Set(Object.keys(samples).map((name) => name.split(': ')[0] ?? ''))];
publish({
  name: 'warm-pages',
  title: 'real programs from a cold file system: pages read ahead beside the start, and without',
  endpoint: `spawn of bootcut to the end of the program, by the parent’s clock; daemon running; nothing of the program’s files in memory (cloud volume: ${cloudVolume.bytes / 1e6} MB/s and ${cloudVolume.reads} reads a second), or all of it (warm)`,
  figures: pairs.map((name) => {
    const [without, ahead] = [median(samples[`${name}: without`] ?? []), median(samples[`${name}: read ahead`] ?? [])];
    return {
      what: `${name}: without → read ahead`,
      value: `${without.toFixed(0)} → ${ahead.toFixed(0)} ms (${(without / ahead).toFixed(2)} ×); stops for the disk ${stopsOf(`${name}: without`)} → ${stopsOf(`${name}: read ahead`)}`,
    };
  }),
  samples,
});
