/** A hundred first launches at one moment against one: who waits for whom, and how often the world is asked. */

import {findDirectories} from '../src/config/directories.js';
import type {LaunchRequest} from '../src/model/launch.js';
import {Channel} from '../src/protocol/channel.js';
import {encodeLaunch} from '../src/protocol/launch-codec.js';
import {frameType} from '../src/protocol/messages.js';
import {systemClock} from '../src/system/clock.js';
import {documentNetwork} from '../test/rig/agent-vm.js';
import {LaunchRig} from '../test/rig/launch-rig.js';
import {interleave, publish, rounds, timeFigure} from './lib/bench.js';
import {startFarServices} from './lib/far-services.js';
import {median, quantile} from './lib/statistics.js';

const crowd = 100;

/** After this much silence a front goes on without the daemon (`client/plan-source.ts`); milliseconds. */
const silenceLimit = 50;

/** How long this bench waits all the same. */
const patience = 30_000;

await using services = await startFarServices(documentNetwork);

const requestOf = (rig: LaunchRig): LaunchRequest => {
  const now = systemClock.now();
  return {
    argv: ['run', '--with', 'git-identity', '--', '/bin/true'].map((arg) => Buffer.from(arg)),
    env: Object.entries(rig.environment()).map(([name, value]) => Buffer.from(`${name}=${value ?? ''}`)),
    cwd: Buffer.from(rig.dir),
    stdio: ['pipe', 'pipe', 'pipe'],
    execAt: now,
    frontAt: now,
    sentAt: now,
    pid: process.pid,
    front: 'node',
    mergedOutput: false,
  };
};

/** Each launch's milliseconds from its request to its plan, and how often GitHub was asked. */
const launches: Record<'one' | 'hundred', number[]> = {one: [], hundred: []};
const upstream: Record<'one' | 'hundred', number[]> = {one: [], hundred: []};
let gaveUp = 0;

/** A launch that puts up with any silence: milliseconds until its plan, and the longest silence on the way there. */
const patientLaunch = async (
  socket: string,
  request: LaunchRequest,
): Promise<{readonly planned: number; readonly silence: number}> => {
  const began = performance.now();
  const channel = new Channel(socket);
  channel.send(encodeLaunch(request));
  let silence = 0;
  for (let last = began; ; ) {
    const received = await channel.next(patience);
    const now = performance.now();
    silence = Math.max(silence, now - last);
    last = now;
    if (received.kind !== 'frame') throw new Error(`the daemon gave no plan: ${received.kind}`);
    if (received.frame.type !== frameType.plan) continue;
    channel.close();
    return {planned: now - began, silence};
  }
};

/** `count` requests to a daemon that has never served one; milliseconds of the slowest. */
const crowdOf = async (name: 'one' | 'hundred', count: number): Promise<number> => {
  await using rig = await LaunchRig.create({env: services.env});
  await rig.startDaemon();
  const socket = findDirectories(rig.env).socket ?? '';
  const asked = services.userRequests();
  const took = await Promise.all(
    Array.from({length: count}, async () => {
      const {planned, silence} = await patientLaunch(socket, requestOf(rig));
      launches[name].push(planned);
      if (silence > silenceLimit) gaveUp += 1;
      return planned;
    }),
  );
  upstream[name].push(services.userRequests() - asked);
  return Math.max(...took);
};

/** The same with the real command: `count` processes at once; milliseconds until the last has ended. */
const processes = async (name: 'one' | 'hundred', count: number): Promise<number> => {
  await using rig = await LaunchRig.create({env: services.env});
  await rig.startDaemon();
  const asked = services.userRequests();
  const began = performance.now();
  const ended = await Promise.all(
    Array.from({length: count}, () => rig.run(['run', '--with', 'git-identity', '--', '/bin/true'])),
  );
  const took = performance.now() - began;
  const failures = ended.filter(({status}) => status !== 0).length;
  if (failures > 0) throw new Error(`${failures} of ${count} launches failed`);
  const records = await rig.records();
  real[name].upstream.push(services.userRequests() - asked);
  real[name].without.push(records.filter(({via}) => via !== 'daemon').length);
  return took;
};
const real = {
  one: {upstream: [] as number[], without: [] as number[]},
  hundred: {upstream: [] as number[], without: [] as number[]},
};

const slowest = await interleave(rounds(10), {one: () => crowdOf('one', 1), hundred: () => crowdOf('hundred', crowd)});
const ends = await interleave(rounds(10) / 2, {
  one: () => processes('one', 1),
  hundred: () => processes('hundred', crowd),
});
const added = quantile(launches.hundred, 0.99) - median(launches.one);
publish({
  name: 'at-once',
  title: `${crowd} cold launches at once against 1, a look-up of 1,290 ms`,
  endpoint:
    'request sent to plan received, at the daemon’s socket, by the clock of one process that sends them all; cold, fresh daemon each time',
  figures: [
    timeFigure('p99 of a hundred, added to the median of one', added, 50),
    {
      what: 'requests to GitHub for a hundred launches, worst round',
      value: String(Math.max(...upstream.hundred)),
      goal: '1',
      met: Math.max(...upstream.hundred) === 1,
    },
    {
      what: 'requests to GitHub for a hundred processes, worst round',
      value: String(Math.max(...real.hundred.upstream)),
      goal: '1',
      met: Math.max(...real.hundred.upstream) === 1,
    },
    {
      what: 'of a hundred processes, served without the daemon, worst round',
      value: String(Math.max(...real.hundred.without)),
    },
    {
      what: 'requests at the socket that met 50 ms of silence, at which a front gives the daemon up',
      value: `${gaveUp} of ${launches.one.length + launches.hundred.length}`,
      goal: '0',
      met: gaveUp === 0,
    },
  ],
  samples: {
    'one: slowest': slowest.one,
    'hundred: slowest': slowest.hundred,
    'hundred: each': launches.hundred,
    'one process': ends.one,
    'hundred processes: last': ends.hundred,
  },
});
