import {describe, it} from 'vitest';
import type {Plan} from '../../../src/model/plan.js';
import type {LaunchId, Moment} from '../../../src/model/units.js';
import {
  decodeFields,
  encodeFields,
  momentBytes,
  numberBytes,
  readMoment,
  readNumber,
} from '../../../src/protocol/fields.js';
import {compareBuilds, decodeGreeting, encodeGreeting} from '../../../src/protocol/greeting.js';
import {decodeLaunch, encodeLaunch} from '../../../src/protocol/launch-codec.js';
import {endings, frameType, launchTag, passReasons, planTag} from '../../../src/protocol/messages.js';
import {decodePlan, encodePlan} from '../../../src/protocol/plan-codec.js';
import {
  decodePass,
  decodeProgress,
  encodePass,
  encodeProgress,
  type Progress,
} from '../../../src/protocol/progress-codec.js';
import {seededRandom} from '../../rig/random.js';
import {randomLaunch, randomPlan} from './values.js';

/** A frame's payload. */
const payloadOf = (frame: Buffer): Buffer => frame.subarray(5);

const plainPlan: Plan = {launchId: 'x' as LaunchId, argv: [{kind: 'keep', from: 0, to: 1}], env: [], observe: []};

describe('what is decoded is what was encoded', () => {
  it('for 500 launches, with bytes that are no UTF-8', ({expect}) => {
    const random = seededRandom(1);
    for (let round = 0; round < 500; round += 1) {
      const launch = randomLaunch(random);
      const decoded = decodeLaunch(payloadOf(encodeLaunch(launch)));
      expect(decoded).toBeDefined();
      expect({...decoded, execAt: 0, frontAt: 0, sentAt: 0}).toEqual({...launch, execAt: 0, frontAt: 0, sentAt: 0});
      // Moments travel as whole nanoseconds.
      expect(decoded?.execAt).toBeCloseTo(launch.execAt, 5);
      expect(decoded?.frontAt).toBeCloseTo(launch.frontAt, 5);
      expect(decoded?.sentAt).toBeCloseTo(launch.sentAt, 5);
    }
  });

  it('for a launch with 400 kB of environment in multi-byte characters', ({expect}) => {
    const value = '環境変数🚀'.repeat(25_000);
    const launch = {
      ...randomLaunch(seededRandom(2)),
      env: [Buffer.from(`BIG=${value}`), Buffer.from([0x41, 0x3d, 0xff, 0xfe])],
    };
    const decoded = decodeLaunch(payloadOf(encodeLaunch(launch)));
    expect(
      decoded?.env.map((item) => Buffer.from(item).equals(launch.env[decoded.env.indexOf(item)] ?? Buffer.alloc(0))),
    ).toEqual([true, true]);
  });

  it('for 500 plans', ({expect}) => {
    const random = seededRandom(3);
    for (let round = 0; round < 500; round += 1) {
      const plan = randomPlan(random);
      expect(decodePlan(payloadOf(encodePlan(plan)))).toEqual(plan);
    }
  });

  it('for progress of every kind', ({expect}) => {
    const at = 123_456.789 as Moment;
    const all: readonly Progress[] = [
      {kind: 'started', at, pid: 4_194_304},
      {kind: 'line', at, text: '===> 環境 🚀'},
      {kind: 'line', at, text: ''},
      {kind: 'ready', readyAt: at, milestones: [{name: 'up 環境', at}], notes: []},
      {kind: 'ready', readyAt: undefined, milestones: [], notes: ['port:80: nobody listens', '']},
      ...endings.map((ending): Progress => ({kind: 'ended', at, ending, code: 255, doneAt: 123_457 as Moment})),
    ];
    for (const progress of all) {
      const frame = encodeProgress(progress);
      expect(decodeProgress(frame[4] ?? 0, payloadOf(frame))).toEqual(progress);
    }
  });

  it('for every reason to pass, and an unknown one counts as failed', ({expect}) => {
    for (const reason of passReasons) expect(decodePass(payloadOf(encodePass(reason)))).toBe(reason);
    for (const payload of [Buffer.alloc(0), Buffer.from([200])]) expect(decodePass(payload)).toBe('failed');
  });

  it('for greetings', ({expect}) => {
    const greeting = {protocol: 4_000_000_000, build: '0.1.0+1796000000.1a2b3c4d'};
    expect(decodeGreeting(payloadOf(encodeGreeting('hello', greeting)))).toEqual(greeting);
  });

  it('for fields, numbers and moments', ({expect}) => {
    const random = seededRandom(4);
    for (let round = 0; round < 200; round += 1) {
      const fields = Array.from({length: random.whole(10)}, () => ({
        tag: random.whole(256),
        value: random.bytes(random.whole(50)),
      }));
      expect(decodeFields(encodeFields(fields.map(({tag, value}) => [tag, value])))).toEqual(fields);
    }
    for (const number of [0, 1, 255, 2 ** 31, 2 ** 32 - 1]) expect(readNumber(numberBytes(number))).toBe(number);
    for (const moment of [0, 0.000001, 1e9 + 0.5]) expect(readMoment(momentBytes(moment))).toBeCloseTo(moment, 6);
    expect(readMoment(momentBytes(-5))).toBe(0);
  });
});

describe('a plan is decoded whole or not at all', () => {
  const decode = (fields: readonly (readonly [number, Uint8Array | string])[]): Plan | undefined =>
    decodePlan(
      encodeFields([
        [planTag.launchId, 'x'],
        [planTag.keep, Buffer.concat([numberBytes(0), numberBytes(1)])],
        ...fields,
      ]),
    );

  it('items of a newer writer are passed over', ({expect}) => {
    expect(
      decode([
        [99, 'new'],
        [200, Buffer.from([0xff])],
      ]),
    ).toEqual(plainPlan);
  });

  const keep = (...numbers: readonly number[]): Buffer => Buffer.concat(numbers.map(numberBytes));
  const broken: readonly (readonly [string, number, Uint8Array | string])[] = [
    ['a keep of 7 bytes', planTag.keep, keep(0, 1).subarray(1)],
    ['a keep of 9 bytes', planTag.keep, Buffer.concat([keep(0, 1), Buffer.alloc(1)])],
    ['a keep of 12 bytes', planTag.keep, keep(0, 1, 2)],
    ['an empty keep', planTag.keep, ''],
    ['a keep that ends before it begins', planTag.keep, keep(2, 1)],
    ['a keep of nothing', planTag.keep, keep(1, 1)],
    ['a literal that is no UTF-8', planTag.literal, Buffer.from([0xff])],
    ['a literal with a zero byte', planTag.literal, 'a\0b'],
    ['a variable without a value', planTag.envSet, 'NAME'],
    ['a variable without a name', planTag.envSet, '=x'],
    ['a prefix without a value', planTag.envPrepend, 'PATH'],
    ['a variable that is no UTF-8', planTag.envSet, Buffer.from([0x41, 0x3d, 0xff])],
    ['no variable to unset', planTag.envUnset, ''],
    ['an assignment to unset', planTag.envUnset, 'A=b'],
    ['an empty executable', planTag.executable, ''],
    ['an executable with a zero byte', planTag.executable, '/a\0b'],
    ['a refusal of 3 bytes', planTag.refusal, 'abc'],
    ['a refusal that would be a success', planTag.refusal, keep(0)],
    ['a refusal whose status is not one byte', planTag.refusal, keep(256)],
  ];
  for (const [name, tag, value] of broken) {
    it(`not with ${name}`, ({expect}) => {
      expect(decode([])).toEqual(plainPlan);
      expect(decode([[tag, value]])).toBeUndefined();
    });
  }

  it('not without anything to launch, unless it is refused', ({expect}) => {
    expect(decodePlan(Buffer.alloc(0))).toBeUndefined();
    expect(decodePlan(encodeFields([[planTag.launchId, 'x']]))).toBeUndefined();
    expect(
      decodePlan(
        encodeFields([
          [planTag.launchId, 'x'],
          [planTag.envSet, 'A=b'],
        ]),
      ),
    ).toBeUndefined();
    const refusal = {text: 'no', status: 2};
    expect(decodePlan(payloadOf(encodePlan({...plainPlan, argv: [], refusal})))).toEqual({
      ...plainPlan,
      argv: [],
      refusal,
    });
  });

  it('not without its launch', ({expect}) => {
    expect(decodePlan(encodeFields([[planTag.literal, 'true']]))).toBeUndefined();
  });

  it('a refused plan that is cut anywhere is never one to launch', ({expect}) => {
    const payload = payloadOf(encodePlan({...plainPlan, refusal: {text: 'the sandbox cannot start', status: 125}}));
    for (let end = 0; end < payload.length; end += 1) {
      const plan = decodePlan(payload.subarray(0, end));
      expect(plan === undefined || plan.refusal !== undefined).toBe(true);
    }
  });

  it('cut in the middle of an item it is none', ({expect}) => {
    const random = seededRandom(5);
    for (let round = 0; round < 100; round += 1) {
      const payload = payloadOf(encodePlan(randomPlan(random)));
      const ends = new Set<number>([0]);
      for (let at = 0; at < payload.length; at += 5 + payload.readUInt32BE(at + 1)) ends.add(at);
      for (let end = 1; end < Math.min(payload.length, 300); end += 1) {
        if (!ends.has(end)) expect(decodePlan(payload.subarray(0, end))).toBeUndefined();
      }
    }
  });
});

describe('noise', () => {
  const decoders: readonly (readonly [string, (payload: Buffer) => unknown])[] = [
    ['launch', decodeLaunch],
    ['plan', decodePlan],
    ['greeting', decodeGreeting],
    ['started', (payload) => decodeProgress(frameType.started, payload)],
    ['line', (payload) => decodeProgress(frameType.line, payload)],
    ['ended', (payload) => decodeProgress(frameType.ended, payload)],
  ];
  for (const [name, decode] of decoders) {
    it(`is never taken for a ${name}, and never throws`, ({expect}) => {
      const random = seededRandom(6);
      for (let round = 0; round < 3000; round += 1) expect(decode(random.bytes(random.whole(60)))).toBeUndefined();
    });
  }

  it('changed bytes of a launch or a plan never throw, and a plan that comes out is launchable or refused', ({
    expect,
  }) => {
    const random = seededRandom(7);
    for (let round = 0; round < 3000; round += 1) {
      const [launch, plan] = [payloadOf(encodeLaunch(randomLaunch(random))), payloadOf(encodePlan(randomPlan(random)))];
      for (const payload of [launch, plan]) payload[random.whole(payload.length)] = random.whole(256);
      decodeLaunch(launch);
      const decoded = decodePlan(plan);
      if (decoded === undefined) continue;
      expect(decoded.argv.length > 0 || decoded.refusal !== undefined).toBe(true);
      for (const piece of decoded.argv) if (piece.kind === 'keep') expect(piece.to).toBeGreaterThan(piece.from);
    }
  });

  it('a length beyond the end is refused without reserving it', ({expect}) => {
    expect(decodeFields(Buffer.from([1, 0xff, 0xff, 0xff, 0xff, 0]))).toBeUndefined();
    expect(decodeFields(Buffer.from([1, 0, 0]))).toBeUndefined();
    expect(decodeFields(Buffer.alloc(0))).toEqual([]);
  });

  it('a launch that lacks a needed item is none', ({expect}) => {
    const payload = payloadOf(encodeLaunch(randomLaunch(seededRandom(8))));
    const fields = decodeFields(payload) ?? [];
    const {cwd, stdio, execAt, frontAt, sentAt, pid} = launchTag;
    for (const tag of [cwd, stdio, execAt, frontAt, sentAt, pid]) {
      const without = fields.filter((field) => field.tag !== tag).map((field) => [field.tag, field.value] as const);
      expect(decodeLaunch(encodeFields(without))).toBeUndefined();
    }
    expect(decodeLaunch(encodeFields(fields.map((field) => [field.tag, field.value])))).toBeDefined();
  });

  it('a greeting of somebody else is none', ({expect}) => {
    const good = payloadOf(encodeGreeting('hello', {protocol: 1, build: 'x'}));
    expect(decodeGreeting(Buffer.from(good.toString('latin1').replace('BCUT', 'XXXX'), 'latin1'))).toBeUndefined();
    expect(decodeGreeting(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toBeUndefined();
  });
});

describe('builds', () => {
  it('are compared by version, then by time, and odd names are the oldest', ({expect}) => {
    const ordered = ['nonsense', '0.1.0+1.a', '0.1.0+2.a', '0.1.1+1.a', '0.2.0+1.a', '0.10.0+1.a', '1.0.0+0.a'];
    for (const [index, build] of ordered.entries()) {
      for (const [other, than] of ordered.entries()) expect(compareBuilds(build, than)).toBe(Math.sign(index - other));
    }
    expect(compareBuilds('0.1.0+1.a', '0.1.0+1.b')).toBe(0);
  });
});
