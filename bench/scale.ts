/** Commands about launches on record: with 100,000 of them against 100, and what recording one costs. */
import {mkdirSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {RecordLog} from '../src/record/record-log.js';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {type Figure, interleave, publish, ratioFigure, rounds, seed, timeFigure} from './lib/bench.js';
import {madeLaunches} from './lib/made-launches.js';
import {timeSync, type Where} from './lib/spawned.js';
import {median, quantile} from './lib/statistics.js';

const many = Number(process.env['BENCH_LAUNCHES'] ?? 100_000);
const few = 100;

await using small = await LaunchRig.create();
await using large = await LaunchRig.create();

/** Fills a log as launches would, one by one, and says what each took in milliseconds. */
const fill = (rig: LaunchRig, count: number): {readonly took: number[]; readonly ids: readonly string[]} => {
  const next = madeLaunches(count, seed, Date.now());
  mkdirSync(rig.state, {recursive: true, mode: 0o700});
  const log = new RecordLog(join(rig.state, 'records'));
  const took: number[] = [];
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const record = next();
    const began = performance.now();
    log.append(record);
    took.push(performance.now() - began);
    ids.push(record.id);
  }
  return {took, ids};
};

const bytesOf = (directory: string): number =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

const [a, b] = [fill(small, few), fill(large, many)];
const where = (rig: LaunchRig): Where => ({env: rig.environment(), cwd: rig.dir});
/** The oldest launch whose whole record is still there, which is the longest way for a search. */
const oldest = (rig: LaunchRig): string => new RecordLog(join(rig.state, 'records')).newest(1_000_000).at(-1)?.id ?? '';

const commands: Readonly<Record<string, (rig: LaunchRig) => readonly string[]>> = {
  profile: () => [],
  'profile --last 100': () => ['--last', '100'],
  'profile, oldest by id': (rig) => [oldests.get(rig) ?? ''],
  'profile --where cold': () => ['--where', 'temperature=cold', '--last', '5'],
  'profile --format html': () => ['--format', 'html'],
  'profile history': () => ['history'],
  'profile history, cold': () => ['history', '--where', 'temperature=cold'],
  'profile blame --last 50': () => ['blame', '--last', '50'],
  'profile diff, warm and cold': () => ['diff', 'temperature=warm', 'temperature=cold', '--last', '50'],
  'profile what-if --last 50': () => ['what-if', '--last', '50'],
};
const oldests = new Map([small, large].map((rig) => [rig, oldest(rig)]));

const arms = Object.fromEntries(
  Object.entries(commands).flatMap(([name, argsOf]) =>
    [small, large].map((rig) => [
      `${name}, ${rig === small ? few : many}`,
      () => timeSync([bootcut, 'profile', ...argsOf(rig)], where(rig)),
    ]),
  ),
);
const samples = await interleave(rounds(12), arms);
const mebibytes = (rig: LaunchRig, name: string): string =>
  `${(bytesOf(join(rig.state, name)) / 2 ** 20).toFixed(1)} MiB`;

const figures: readonly Figure[] = [
  ...Object.keys(commands).map((name) => {
    const [with100, withMany] = [few, many].map((count) => median(samples[`${name}, ${count}`] ?? []));
    return ratioFigure(`${name}: ${many} / ${few} launches on record`, (withMany ?? 0) / (with100 ?? 1), 1.5);
  }),
  timeFigure('recording one launch, median', median(b.took), 1),
  timeFigure('recording one launch, p99', quantile(b.took, 0.99), 1),
  {what: 'recording, the longest (a new segment, old ones dropped)', value: `${Math.max(...b.took).toFixed(2)} ms`},
  {what: 'on disk, whole records', value: mebibytes(large, 'records')},
  {what: 'on disk, index', value: mebibytes(large, 'records-index')},
  {what: 'whole records kept', value: String(new RecordLog(join(large.state, 'records')).newest(1_000_000).length)},
  {what: 'launches in the index', value: String(new RecordLog(join(large.state, 'records')).count)},
];
publish({
  name: 'scale',
  title: `profile with ${many} launches on record against ${few}`,
  endpoint: 'spawn to end of the process, by the parent’s clock; page cache warm',
  figures,
  samples: {...samples, [`recording, ${few}`]: a.took},
});
