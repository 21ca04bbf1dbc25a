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

const figures: Figure[] = [];
const samples: Record<string, readonly number[]> = {};
for (const {front, daemon, env} of fronts) {
  await using rig = await LaunchRig.create({env});
  if (daemon) await rig.startDaemon();
  for (const [name, argv] of Object.entries(targets)) {
    const outside: number[] = [];
    const before = (await rig.records()).length;
    for (let launch = 0; launch < count; launch += 1) {
      outside.push(timeSync([bootcut, 'run', '--', ...argv], {env: rig.environment(), cwd: rig.dir}));
    }
    const records = await recordsOf(rig, before + count);
    const shares = records.slice(before).map(({phases}, index) => {
      const attributed = phases.reduce((sum, {from, to}) => sum + to - from, 0);
      return attributed / (outside[index] ?? Number.NaN);
    });
    const rest = records.slice(before).map(({total, phases}, index) => ({
      unattributed: total - phases.reduce((sum, {from, to}) => sum + to - from, 0),
      outsideOfUs: (outside[index] ?? Number.NaN) - total,
    }));
    const label = `${name}, ${front}`;
    const share = records
      .slice(before)
      .reduce((sum, _, index) => sum + (shares[index] ?? 0) * (outside[index] ?? 0), 0);
    const all = outside.reduce((sum, time) => sum + time, 0);
    samples[label] = outside;
    figures.push(
      {
        what: `${label}: attributed over ${count} launches`,
        value: `${((100 * share) / all).toFixed(2)} % (least ${(100 * Math.min(...shares)).toFixed(2)} %)`,
        goal: `≥ ${100 * goal} %`,
        met: share / all >= goal,
      },
      {
        what: `${label}: unattributed by the record, median; outside of the record, median`,
        value: `${median(rest.map(({unattributed}) => unattributed)).toFixed(3)} ms; ${median(rest.map(({outsideOfUs}) => outsideOfUs)).toFixed(3)} ms`,
      },
    );
  }
}

/** The daemon writes a record when the launch is over for its caller already. */
async function recordsOf(rig: LaunchRig, wanted: number) {
  for (;;) {
    const records = await rig.records();
    if (records.length >= wanted) return records;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

publish({
  name: 'attribution',
  title: 'time of launches that their records account for',
  endpoint: 'spawn to end of the process, by the parent’s clock, against the phases of the record; warm',
  figures,
  samples,
});
