/** What the daemon costs: until it answers, in memory, and when there is nothing to do. */

import {spawn} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {findDirectories} from '../src/config/directories.js';
import {askDaemon} from '../src/protocol/ask.js';
import {LaunchRig} from '../test/rig/launch-rig.js';
import {interleave, publish, ratioFigure, repository, rounds} from './lib/bench.js';
import {timeSync} from './lib/spawned.js';
import {median} from './lib/statistics.js';

/** Longest resident memory after launches, in MiB. */
const memoryGoal = 70;

/** Spawns a daemon in a home of its own; milliseconds until it has answered a question. */
const firstAnswer = async (): Promise<number> => {
  await using rig = await LaunchRig.create();
  const directories = findDirectories(rig.env);
  const began = performance.now();
  const child = spawn('node', [join(repository, 'dist', 'daemon', 'main.js'), JSON.stringify(directories)], {
    cwd: '/',
    env: {PATH: rig.env['PATH']},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ready = child.stdio[3] as NodeJS.ReadableStream;
  await new Promise((resolve) => ready.once('data', resolve));
  const status = await askDaemon(directories.socket ?? '', {kind: 'status'});
  const took = performance.now() - began;
  if (!status.ok) throw new Error(`the daemon did not answer: ${status.failure.reason}`);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return took;
};

/** CPU time of a process so far, all its threads, in milliseconds: the scheduler's own count, to the nanosecond. */
const cpuTime = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);

/** V8 tidies its heaps up once, some 7 s after the last launch (0.05 s of CPU seen); then nothing is left to do. */
const tidied = 12_000;

await using rig = await LaunchRig.create();
const where = {env: rig.environment(), cwd: rig.dir};
const samples = await interleave(rounds(20), {
  'daemon: spawn to first answer': firstAnswer,
  'node -e 0': () => timeSync(['node', '-e', '0'], where),
});

const {pid} = await rig.startDaemon();
for (let launch = 0; launch < 10; launch += 1) await rig.run(['run', '--with', 'git-identity', '--', '/bin/true']);
await wait(tidied);
const before = cpuTime(pid);
const {memory} = await rig.status();
const asked = cpuTime(pid);
await wait(10_000);
const idle = cpuTime(pid) - asked;
const mebibytes = memory.rss / 2 ** 20;
publish({
  name: 'daemon',
  title: 'the daemon',
  endpoint:
    'spawn to the reply to its first question; memory after 10 launches; CPU of all its threads over 10 s, 12 s after the last launch',
  figures: [
    ratioFigure(
      'spawn to first answer / node -e 0',
      median(samples['daemon: spawn to first answer']) / median(samples['node -e 0']),
      4,
    ),
    {
      what: 'resident memory',
      value: `${mebibytes.toFixed(0)} MiB`,
      goal: `≤ ${memoryGoal} MiB`,
      met: mebibytes <= memoryGoal,
    },
    {what: 'CPU in 10 s idle', value: `${(idle / 1000).toFixed(2)} s`, goal: '0.00 s', met: idle < 5},
    {what: 'CPU for one status question', value: `${((asked - before) / 1000).toFixed(2)} s`},
  ],
  samples,
});
