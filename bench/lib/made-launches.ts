import type {LaunchRecord, StepRecord} from '../../src/model/record.js';
import {ms, type WallTime} from '../../src/model/units.js';
import {newLaunchId} from '../../src/record/launch-id.js';
import {seededRandom} from './statistics.js';

/** Launches a minute apart that could have been: three targets, one in twenty cold, a slower release from the middle on. */
export const madeLaunches = (count: number, seedOf: number, endAt: number): (() => LaunchRecord) => {
  const random = seededRandom(seedOf);
  let made = 0;
  return () => {
    made += 1;
    return madeLaunch(random, made, count, (endAt - (count - made) * 60_000) as WallTime);
  };
};

const madeLaunch = (random: () => number, made: number, count: number, at: WallTime): LaunchRecord => {
  const isCold = made % 20 === 7;
  const isVm = made % 3 !== 0;
  const isLater = made > count / 2;
  const about = (milliseconds: number): number => round(milliseconds * (0.92 + 0.16 * random() + 0.3 * random() ** 12));
  const client = about(3);
  const begin = client + about(0.4);
  const user = isCold ? about(1290) : 0.08;
  const registry = isCold ? about(886) : 0.06;
  const waited = isCold ? round(Math.max(user, about(300)) + 0.2) : 0.2;
  const boot = round(begin + waited + about(1.1));
  const run = round(boot + (isVm ? about(1500) + (isLater ? 290 : 0) : 0.6));
  const end = round(run + (isVm ? about(2400) : about(120)));
  const total = round(end + (isVm ? about(51) : 0.4));
  const state = isCold ? 'read' : 'fresh';
  return {
    v: 1,
    id: newLaunchId(at),
    at,
    build: '0.1.0+1796056809.0badcafe',
    front: 'launcher',
    via: 'daemon',
    verb: isVm ? 'shell' : 'run',
    runtime: isVm ? 'agent-vm' : 'process',
    ...(isVm ? {runtimeVersion: isLater ? '0.1.14' : '0.1.13'} : {}),
    target: isVm ? 'agent-vm' : made % 2 === 0 ? 'make' : 'true',
    cwd: `/home/ann/work/project-${made % 7}`,
    temperature: isCold ? 'cold' : 'warm',
    total: ms(total),
    phases: [
      {name: 'client', from: ms(0), to: ms(client)},
      {name: 'pre-boot', from: ms(client), to: ms(boot)},
      {name: 'boot', from: ms(boot), to: ms(run)},
      {name: 'run', from: ms(run), to: ms(end)},
      {name: 'teardown', from: ms(end), to: ms(total)},
    ],
    steps: [
      madeStep('git-identity/github', 'run', state, begin, user, 1290, isCold),
      madeStep('git-identity/git', 'run', state, begin, isCold ? about(14) : 0.07, 14, false),
      madeStep('agent-vm/version', 'boot', state, begin, isCold ? about(280) : 0.06, 280, false),
      madeStep('update-check/image', 'none', isCold ? 'not-waited' : 'fresh', begin, registry, 886, isCold),
    ],
    milestones: isVm
      ? [
          {name: 'kernel-entered', at: ms(round(boot + 420))},
          {name: 'agent-ready', at: ms(round(run - 12))},
          {name: 'first-output', at: ms(round(run + 22))},
        ]
      : [],
    spans: [
      {name: 'front start', from: ms(0), to: ms(round(client * 0.6))},
      {name: 'planning', from: ms(begin), to: ms(round(boot - 0.3))},
      ...(isVm
        ? [
            {name: 'create', from: ms(boot), to: ms(round(run - 38))},
            {name: 'start the guest', from: ms(round(run - 38)), to: ms(run)},
            {name: 'remove', from: ms(end), to: ms(total)},
          ]
        : []),
    ],
    waited: ms(waited),
    outcome: made % 500 === 499 ? {kind: 'lost'} : {kind: 'exited', code: 0},
    notes: [],
  };
};

const madeStep = (
  step: string,
  barrier: StepRecord['barrier'],
  state: StepRecord['state'],
  from: number,
  took: number,
  cost: number,
  isTimed: boolean,
): StepRecord => ({
  step,
  kind: barrier === 'none' ? 'check' : 'lookup',
  barrier,
  state,
  from: ms(from),
  to: ms(round(from + took)),
  cost: ms(cost),
  spans: isTimed
    ? [
        {name: 'connect', from: ms(round(from + took * 0.08)), to: ms(round(from + took * 0.3))},
        {name: 'request', from: ms(round(from + took * 0.3)), to: ms(round(from + took * 0.96))},
      ]
    : [],
});

const round = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
