import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {AskFailure} from '../../../src/cache/answer-cache.js';
import {Flights} from '../../../src/cache/flights.js';
import {hours} from '../../../src/model/units.js';
import {lockScope} from '../../../src/system/process-lock.js';
import {makeGate} from '../../rig/gate.js';
import {runScript, type ScriptProcess} from '../../rig/script-process.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {asked, keeping, key, workplace} from './workplace.js';

const longTime = (): AbortSignal => AbortSignal.timeout(60_000);

describe('in one process', () => {
  for (const locks of [false, true]) {
    it(`40 who want one expired answer make one question (${locks ? 'with' : 'without'} locks)`, async ({expect}) => {
      await using place = await workplace({locks});
      await place.ask('a', 'old');
      place.clock.pass(hours(24 * 8));
      const gate = makeGate();
      let calls = 0;
      const ask = async (): Promise<ReturnType<typeof asked>> => {
        calls += 1;
        await gate.opened;
        return asked('new');
      };
      const callers = Array.from({length: 40}, async () => {
        const seen = await place.cache.look(key('a'), keeping);
        return await place.cache.ask(key('a'), keeping, {ask, seen, signal: longTime()});
      });
      await new Promise((resolve) => setImmediate(resolve));
      gate.open();
      const answers = await Promise.all(callers);
      expect(calls).toBe(1);
      expect(new Set(answers.map((one) => (one.kind === 'answer' ? one.entry.value : one.reason)))).toEqual(
        new Set(['new']),
      );
    });
  }

  it('8 keys are asked for at the same time, each once', async ({expect}) => {
    await using place = await workplace({locks: true});
    const gate = makeGate();
    let [running, peak] = [0, 0];
    const all = makeGate();
    const ask = async (): Promise<ReturnType<typeof asked>> => {
      running += 1;
      peak = Math.max(peak, running);
      if (running === 8) all.open();
      await gate.opened;
      running -= 1;
      return asked(1);
    };
    const asking = Array.from({length: 24}, async (_, index) => {
      const name = key(`${index % 8}`);
      const seen = await place.cache.look(name, keeping);
      return await place.cache.ask(name, keeping, {ask, seen, signal: longTime()});
    });
    await all.opened;
    gate.open();
    await Promise.all(asking);
    expect(peak).toBe(8);
  });

  it('a question that failed is asked again: no failed promise stays behind', async ({expect}) => {
    const flights = new Flights(undefined);
    const nothing = async (): Promise<undefined> => undefined;
    await expect(flights.share('a', () => Promise.reject(new Error('no')), nothing, longTime())).rejects.toThrow('no');
    expect(flights.has('a')).toBe(false);
    expect(await flights.share('a', async () => 'yes', nothing, longTime())).toBe('yes');
  });

  it('long keys that differ only at their end do not wait for each other', async ({expect}) => {
    const scope = lockScope(await temporaryDirectory('flights'));
    const [one, two] = [new Flights(scope), new Flights(scope)];
    const long = `update-check/image[${'ghcr.io/wirenboard/agent-vm-template:latest'.repeat(3)}]#`;
    const gate = makeGate();
    const nothing = async (): Promise<undefined> => undefined;
    const first = one.share(`${long}1`, async () => await gate.opened.then(() => 1), nothing, longTime());
    expect(await two.share(`${long}2`, async () => 2, nothing, longTime())).toBe(2);
    gate.open();
    expect(await first).toBe(1);
  });
});

describe('an answer that somebody else has stored meanwhile', () => {
  it('will do, although it was read before we began to ask', async ({expect}) => {
    await using place = await workplace({locks: true});
    const seen = await place.cache.look(key('a'), keeping);
    await place.cache.store(key('a'), keeping, asked('theirs'));
    place.clock.pass(hours(1));
    expect(await place.ask('a', 'ours', seen)).toMatchObject({kind: 'answer', entry: {value: 'theirs'}});
    expect(place.calls()).toBe(0);
  });

  it('does not keep a refresh of that very answer from asking', async ({expect}) => {
    await using place = await workplace({locks: true});
    await place.ask('a', 'old');
    place.clock.pass(hours(23));
    expect(await place.ask('a', 'new')).toMatchObject({entry: {value: 'new'}});
  });

  it('is not taken by a launch that wants no stored answer', async ({expect}) => {
    await using place = await workplace({locks: true});
    await place.ask('a', 'stored');
    place.clock.pass(hours(1));
    const unwanted = {state: 'missing', why: '', entry: undefined, unwanted: true} as const;
    expect(await place.ask('a', 'asked', unwanted)).toMatchObject({entry: {value: 'asked'}});
  });

  it('may be a failure: then nobody asks again for now', async ({expect}) => {
    await using place = await workplace({locks: true});
    const seen = await place.cache.look(key('a'), keeping);
    await place.ask('a', new AskFailure('rate-limited', '429'));
    expect(await place.ask('a', 1, seen)).toMatchObject({kind: 'failure', reason: 'rate-limited', remembered: true});
    expect(place.calls()).toBe(1);
  });
});

/** Looks and asks once; each question adds a line to the file, says `asking`, and waits until told to answer. */
const asker = `
  const {openStores} = await ours('cache/stores');
  const {AnswerCache} = await ours('cache/answer-cache');
  const {systemClock} = await ours('system/clock');
  const {lockScope} = await ours('system/process-lock');
  const {appendFileSync} = await import('node:fs');
  const [directory, name, limit] = args;
  const keeping = {step: 'plugin/step', freshFor: 3600000, keepFor: 7200000, private: true};
  const cache = new AnswerCache(await openStores(directory), systemClock, lockScope(directory));
  say('ready');
  await heard();
  const seen = await cache.look(name, keeping);
  const ask = async () => {
    appendFileSync(directory + '/calls', name + '\\n');
    say('asking');
    await heard();
    return {value: process.pid, files: [], took: 1};
  };
  if (seen.state !== 'missing') say('found');
  else {
    const answered = await cache.ask(name, keeping, {ask, seen, signal: AbortSignal.timeout(Number(limit))});
    say(answered.kind === 'answer' ? 'answer ' + answered.entry.value : answered.reason);
  }
  process.exit();
`;

const callsIn = (directory: string): readonly string[] =>
  readFileSync(join(directory, 'calls'), 'utf8').split('\n').filter(Boolean);

const startAskers = async (
  directory: string,
  names: readonly string[],
  limit = 60_000,
): Promise<readonly ScriptProcess[]> => {
  writeFileSync(join(directory, 'calls'), '');
  const askers = names.map((name) => runScript(asker, [directory, name, String(limit)]));
  await Promise.all(askers.map((one) => one.line()));
  for (const one of askers) one.tell('go');
  return askers;
};

/** The first of several lines to come, and whose it is. */
const firstLine = async (
  askers: readonly ScriptProcess[],
): Promise<{readonly one: ScriptProcess; readonly others: readonly Promise<string>[]}> => {
  const lines = askers.map((one) => one.line());
  const one = await Promise.race(
    lines.map(async (line, index) => ((await line) === 'asking' ? askers[index] : undefined)),
  );
  if (one === undefined) throw new Error('somebody answered before anybody asked');
  return {one, others: lines.filter((_, index) => askers[index] !== one)};
};

describe('in 8 processes', () => {
  it('one question is asked, and all have its answer', async ({expect}) => {
    const directory = await temporaryDirectory('flights');
    const askers = await startAskers(
      directory,
      Array.from({length: 8}, () => 'p/s#a'),
    );
    const {one, others} = await firstLine(askers);
    one.tell('answer');
    const answers = await Promise.all([one.line(), ...others]);
    expect(callsIn(directory)).toHaveLength(1);
    expect(new Set(answers.filter((line) => line !== 'found'))).toEqual(new Set([`answer ${one.pid}`]));
    await Promise.all(askers.map((each) => each[Symbol.asyncDispose]()));
  }, 60_000);

  it('when the asker is killed, one other asks, and all have its answer', async ({expect}) => {
    const directory = await temporaryDirectory('flights');
    const askers = await startAskers(
      directory,
      Array.from({length: 8}, () => 'p/s#a'),
    );
    const first = await firstLine(askers);
    first.one.kill('SIGKILL');
    await first.one.ended;
    const left = askers.filter((one) => one !== first.one);
    const second = await Promise.race(
      first.others.map(async (line, index) => ((await line) === 'asking' ? left[index] : undefined)),
    );
    if (second === undefined) throw new Error('somebody answered before anybody asked');
    second.tell('answer');
    const answers = await Promise.all([second.line(), ...first.others.filter((_, index) => left[index] !== second)]);
    expect(callsIn(directory)).toHaveLength(2);
    expect(new Set(answers.filter((line) => line !== 'found'))).toEqual(new Set([`answer ${second.pid}`]));
    await Promise.all(askers.map((each) => each[Symbol.asyncDispose]()));
  }, 60_000);

  it('8 keys are asked for at the same time', async ({expect}) => {
    const directory = await temporaryDirectory('flights');
    const askers = await startAskers(
      directory,
      Array.from({length: 8}, (_, index) => `p/s#${index}`),
    );
    expect(await Promise.all(askers.map((one) => one.line()))).toEqual(Array.from({length: 8}, () => 'asking'));
    expect(new Set(callsIn(directory)).size).toBe(8);
    await Promise.all(askers.map((each) => each[Symbol.asyncDispose]()));
  }, 60_000);
});
