/** How much of a launch's time by an outside clock its record accounts for, start and end of our command included. */
import {bootcut, fronts, LaunchRig} from '../test/rig/launch-rig.js';
import {type Figure, publish, rounds} from './lib/bench.js';
import {timeSync} from './lib/spawned.js';
import {median} from './lib/statistics.js';

const goal = 0.985;
const count = rounds(100);

/** What is launched, and how long it takes by itself. */
const targets = {
  'a target of 500 ms': ['sleep', '0.5'],
  '/bin/true': ['/bin/true'],
} as const;

/** One launch by both clocks, in milliseconds. */
interface Timed {
  readonly outside: number;
  readonly attributed: number;
  /** From the spawn to what the record takes for the exec of our command; wall clock, so to a millisecond or two. */
  readonly before: number;
  /** From the last that the record knows to the end of the process. */
  readonly after: number;
  readonly unattributed: number;
}

const figures: Figure[] = [];
const samples: Record<string, readonly number[]> = {};
for (const {front, daemon, env} of fronts) {
  await using rig = await LaunchRig.create({env});
  if (daemon) await rig.startDaemon();
  for (const [name, argv] of Object.entries(targets)) {
    const launches: Timed[] = [];
    while (launches.length < count) launches.push(await timeLaunch(rig, argv));
    const all = sum(launches.map(({outside}) => outside));
    const share = sum(launches.map(({attributed}) => attributed)) / all;
    const middle = (key: keyof Timed): string => `${median(launches.map((launch) => launch[key])).toFixed(2)} ms`;
    const label = `${name}, ${front}`;
    samples[label] = launches.map(({outside}) => outside);
    figures.push(
      {
        what: `${label}: attributed over ${count} launches`,
        value: `${(100 * share).toFixed(2)} %`,
        goal: `≥ ${100 * goal} %`,
        met: share >= goal,
      },
      {
        what: `${label}, medians`,
        value: `unattributed in the record ${middle('unattributed')}, before it ${middle('before')}, after it ${middle('after')}`,
      },
    );
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Launches once and finds its record. */
async function timeLaunch(rig: LaunchRig, argv: readonly string[]): Promise<Timed> {
  const began = performance.timeOrigin + performance.now();
  const outside = timeSync([bootcut, 'run', '--', ...argv], {env: rig.environment(), cwd: rig.dir});
  const record = await rig.lastRecord();
  const attributed = sum(record.phases.map(({from, to}) => to - from));
  const before = record.at - began;
  return {
    outside,
    attributed,
    before,
    after: outside - record.total - before,
    unattributed: record.total - attributed,
  };
}

publish({
  name: 'attribution',
  title: 'time of launches that their records account for',
  endpoint: 'spawn to end of the process, by the parent’s clock, against the phases of the record; warm',
  figures,
  samples,
});
