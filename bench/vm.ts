/** A command in a microVM: booted cold, restored from a template, and from a VM that waits paused. */
import {readFileSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import type {StandbyState} from '../src/protocol/asks.js';
import type {LaunchRig} from '../test/rig/launch-rig.js';
import {type Arm, type Figure, interleave, publish, ratioFigure, rounds, type Samples} from './lib/bench.js';
import {median} from './lib/statistics.js';
import {PlainBoot, toFirstOutput, vmHome} from './lib/vm-rig.js';

const templates = (rig: LaunchRig): string => join(rig.home, '.cache', 'bootcut', 'qemu', 'templates');

/** No standby and no template: every part of the boot. */
const cold = async (rig: LaunchRig, command: readonly string[]): Promise<number> => {
  await rig.run(['standby', 'drop']);
  await rm(templates(rig), {recursive: true, force: true});
  return await toFirstOutput(rig, command, ['--without', 'standby']);
};

/** The template is there, nothing waits. Made outside of the time. */
const restored = async (rig: LaunchRig, command: readonly string[]): Promise<number> => {
  await rig.run(['standby', 'start']);
  await rig.run(['standby', 'drop']);
  return await toFirstOutput(rig, command, ['--without', 'standby']);
};

const paused = async (rig: LaunchRig, command: readonly string[]): Promise<number> => {
  await rig.run(['standby', 'start']);
  const took = await toFirstOutput(rig, command);
  await rig.run(['standby', 'drop']);
  return took;
};

const ways = {cold, restored, paused} as const;

const armsOf = (name: string, rig: LaunchRig, command: readonly string[]): Record<string, Arm> =>
  Object.fromEntries(Object.entries(ways).map(([way, run]) => [`${name}, ${way}`, () => run(rig, command)]));

const ratio = (samples: Samples, one: string, other: string): number =>
  median(samples[one] ?? []) / median(samples[other] ?? []);

await using debian = await vmHome('debian');
await using small = await vmHome('small');
// The daemon would boot the next one beside what is measured.
for (const rig of [debian, small]) {
  await toFirstOutput(rig, ['echo', 'first']);
  await rig.run(['config', 'set', 'standby', 'false']);
}
const plain = new PlainBoot(debian.root);

const echo = ['echo', 'hello'];
const samples = await interleave(rounds(10), {
  'plain cloud kernel': () => plain.boot(),
  ...armsOf('debian', debian, echo),
  ...armsOf('small', small, echo),
});

/** What a VM that waits costs: CPU of its processes over ten seconds, memory, and its template on disk. */
const waiting = async (rig: LaunchRig): Promise<readonly Figure[]> => {
  await rig.run(['standby', 'start']);
  const {standbys} = JSON.parse((await rig.run(['standby', 'list', '--json'])).stdout) as {
    standbys: readonly StandbyState[];
  };
  const [standby] = standbys;
  const children = (pid: number): readonly number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  const pids = [standby?.pid ?? 0, ...children(standby?.pid ?? 0)];
  const ticks = (): number =>
    pids
      .map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [])
      .reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0);
  const before = ticks();
  await wait(10_000);
  const used = (ticks() - before) / 100;
  const disk = Number((await rig.shell(`du -sk ${templates(rig)}`)).stdout.split('\t')[0]) / 1024;
  await rig.run(['standby', 'drop']);
  return [
    {what: 'a paused standby: CPU in 10 s', value: `${used.toFixed(2)} s`, goal: '0.00 s', met: used === 0},
    {what: 'a paused standby: resident memory of QEMU', value: `${Math.round((standby?.memoryKb ?? 0) / 1024)} MiB`},
    {what: 'its template on disk', value: `${Math.round(disk)} MiB`},
  ];
};

publish({
  name: 'vm',
  title: 'a command in a microVM: cold, restored, paused (emulated)',
  endpoint:
    'spawn of `bootcut shell -- echo hello` to its first byte, by the parent’s clock; look-ups warm, daemon running; plain: spawn of QEMU to init’s line',
  figures: [
    ratioFigure('debian guest: paused / cold', ratio(samples, 'debian, paused', 'debian, cold'), 0.02),
    ratioFigure('debian guest: restored / cold', ratio(samples, 'debian, restored', 'debian, cold'), 0.12),
    ratioFigure('small guest: paused / cold', ratio(samples, 'small, paused', 'small, cold'), 0.02),
    ratioFigure('small guest: restored / cold', ratio(samples, 'small, restored', 'small, cold'), 0.12),
    ratioFigure(
      'small guest (the default of a release), cold / plain cloud kernel',
      ratio(samples, 'small, cold', 'plain cloud kernel'),
      0.4,
    ),
    {
      what: 'debian guest, cold / plain cloud kernel',
      value: ratio(samples, 'debian, cold', 'plain cloud kernel').toFixed(3),
    },
    {what: 'plain boots that hung and were done again', value: String(plain.hung)},
    ...(await waiting(debian)),
  ],
  samples,
});

const commands: Readonly<Record<string, readonly string[]>> = {
  'git status': ['git', 'status', '--short'],
  'node -p 1': ['node', '-p', '1'],
  'python3 -c 1': ['python3', '-c', 'print(1)'],
};
const first = await interleave(
  rounds(4),
  Object.fromEntries(
    Object.entries(commands).flatMap(([name, command]) => Object.entries(armsOf(name, debian, command))),
  ),
);
publish({
  name: 'vm-first-commands',
  title: 'a first real command in the debian guest: cold, restored, paused (emulated)',
  endpoint: 'spawn of bootcut to the first byte of the command, by the parent’s clock; look-ups warm, daemon running',
  figures: Object.keys(commands).map((name) => ({
    what: `${name}: paused / cold, restored / cold`,
    value: `${ratio(first, `${name}, paused`, `${name}, cold`).toFixed(3)}, ${ratio(first, `${name}, restored`, `${name}, cold`).toFixed(3)}`,
  })),
  samples: first,
});
