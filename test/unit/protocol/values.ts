import type {LaunchRequest, StdioKind} from '../../../src/model/launch.js';
import type {ArgvPiece, EnvEdit, Plan} from '../../../src/model/plan.js';
import {type LaunchId, type Moment, ms} from '../../../src/model/units.js';
import type {Random} from '../../rig/random.js';

const cjk = '項目資料夾プロジェクト프로젝트폴더';
const texts = [
  '',
  'a',
  'a b',
  '\'"\\`$HOME',
  '--',
  '--help',
  '*',
  '\n',
  'ü',
  cjk,
  '🚀👩‍👩‍👧',
  '\u202e',
  'x'.repeat(5000),
  '=',
] as const;
const stdio: readonly StdioKind[] = ['closed', 'tty', 'pipe', 'file', 'socket', 'device'];

/** Bytes as a caller may hand them over: any but zero, often not UTF-8. */
export const callerBytes = (random: Random): Buffer =>
  random.whole(3) === 0
    ? Buffer.from(random.bytes(random.whole(40)).map((byte) => byte || 1))
    : Buffer.from(random.pick(texts));

const list = <T>(random: Random, item: () => T, most = 8): readonly T[] =>
  Array.from({length: random.whole(most)}, () => item());

const moment = (random: Random): Moment => (random.whole(2 ** 31) + random.whole(1000) / 1000) as Moment;

export const randomLaunch = (random: Random): LaunchRequest => ({
  argv: list(random, () => callerBytes(random)),
  env: list(random, () => Buffer.concat([Buffer.from('N='), callerBytes(random)])),
  cwd: Buffer.concat([Buffer.from('/'), callerBytes(random)]),
  stdio: [random.pick(stdio), random.pick(stdio), random.pick(stdio)],
  execAt: moment(random),
  frontAt: moment(random),
  sentAt: moment(random),
  pid: random.whole(2 ** 32),
  front: random.pick(['node', 'launcher']),
  mergedOutput: random.whole(2) === 1,
});

const piece = (random: Random): ArgvPiece => {
  const from = random.whole(1000);
  return random.whole(2) === 0
    ? {kind: 'keep', from, to: from + 1 + random.whole(1000)}
    : {kind: 'literal', text: random.pick(texts)};
};

const envEdit = (random: Random): EnvEdit => {
  const name = random.pick(['PATH', 'N', 'GH_TOKEN', 'ü']);
  const kind = random.pick(['set', 'unset', 'prepend'] as const);
  return kind === 'unset' ? {kind, name} : {kind, name, value: random.pick(texts)};
};

export const randomPlan = (random: Random): Plan => ({
  launchId: random.pick(['', '0198-a', cjk]) as LaunchId,
  argv: [piece(random), ...list(random, () => piece(random))],
  env: list(random, () => envEdit(random)),
  observe: list(random, () => random.pick(texts)),
  ...(random.whole(2) === 0 ? {} : {executable: '/usr/bin/ü'}),
  ...(random.whole(2) === 0 ? {} : {notice: random.pick(texts)}),
  ...(random.whole(2) === 0 ? {} : {until: {conditions: list(random, () => random.pick(texts)), limit: ms(60_000.5)}}),
  ...(random.whole(4) !== 0 ? {} : {refusal: {text: random.pick(texts), status: 1 + random.whole(255)}}),
});
