/** The ledger on real launches: is a real gain confirmed, is a useless optimization found out, and after how many launches? */
import type {SavingRow} from '../src/savings/report.js';
import type {SavingsReport} from '../src/views/savings.js';
import {LaunchRig} from '../test/rig/launch-rig.js';
import {linkPlugin} from '../test/rig/linked-plugin.js';
import {type Figure, publish, rounds} from './lib/bench.js';

/** What the target takes without help, milliseconds: it sleeps, so that only its own work is what is scripted. */
const work = 300;

/** Longest trial: 64 pairs. */
const most = rounds(128);

/** An optimization that takes `gain` milliseconds off the target's work. */
const plugin = (gain: number): string => `
export default {
  name: 'scripted',
  optimizations: [{
    name: 'gain',
    summary: 'a gain of ${gain} ms',
    plan: (launch) => ({
      subject: [launch.cwd],
      label: 'sleep',
      use: [{kind: 'insert-args', at: 1, args: ['${((work - gain) / 1000).toFixed(3)}']}],
    }),
  }],
};`;

const samples: Record<string, number[]> = {};
const figures: Figure[] = [];
for (const [name, gain, wanted] of [
  ['gain of 5 %', work * 0.05, 'pays'],
  ['no gain', 0, 'no gain'],
  ['loss of 5 %', -work * 0.05, 'slower'],
] as const) {
  await using rig = await LaunchRig.create();
  await linkPlugin(rig, 'scripted', plugin(gain));
  // Sleeps as long as its first argument says: without the optimization that is what was asked for.
  const target = await rig.script('target', '#!/bin/sh\nexec sleep "$1"\n');
  await rig.startDaemon();
  samples[name] = [];
  let row: SavingRow | undefined;
  for (let launch = 1; launch <= most && (row === undefined || row.standing === 'trial'); launch += 1) {
    const began = performance.now();
    await rig.run(['run', '--', target, (work / 1000).toFixed(3)]);
    samples[name].push(performance.now() - began);
    const report = JSON.parse((await rig.run(['savings', '--json'])).stdout) as SavingsReport;
    row = report.optimizations[0];
  }
  const percent = (share: number | undefined): string => `${((share ?? 0) * 100).toFixed(1)} %`;
  const {low, high} = row?.shareInterval ?? {low: 0, high: 0};
  const said = row?.standing ?? 'nothing';
  figures.push({
    what: `${name}: the ledger says`,
    value: `${said}, saves ${percent(row?.share ?? 0)} (${percent(low)} to ${percent(high)}), after ${samples[name].length} launches`,
    goal: wanted === 'pays' ? 'pays within 128 launches' : 'switched off within 128 launches',
    met: said === wanted || (wanted !== 'pays' && (said === 'no gain' || said === 'slower')),
  });
}

publish({
  name: 'ledger',
  title: 'the ledger on scripted targets of 300 ms, each optimization on trial in a home of its own',
  endpoint:
    'wall time of the whole launch by the parent’s clock; the ledger itself goes by the target’s start to its end',
  figures,
  samples,
});
