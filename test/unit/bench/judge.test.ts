import {describe, expect, it} from 'vitest';
import {judge, level, roundsNeeded, type Verdict} from '../../../src/bench/judge.js';
import {contrasts, type PairedRound} from '../../../src/bench/paired.js';
import {seededRandom} from '../../../src/bench/random.js';
import {randomizationTest} from '../../../src/bench/randomization-test.js';
import {type Script, scriptedRounds} from './scripted-rounds.js';

const judged = (rounds: readonly (PairedRound | undefined)[], seed = 1) =>
  judge([{milestone: 'exit', rounds}], 1, seed)[0]!;

const repeated = (script: Script, times: number): readonly Verdict[] => {
  const random = seededRandom(20_261_130);
  return Array.from({length: times}, () => judged(scriptedRounds(script, random)).verdict);
};

const count = (verdicts: readonly Verdict[], wanted: Verdict): number =>
  verdicts.filter((verdict) => verdict === wanted).length;

const hosts: Readonly<Record<string, Script['host']>> = {
  'a quiet host': undefined,
  'a host that slows whoever runs second by 20 %': (_round, place) => place * 0.2,
  'a host that slows whoever runs first by 60 % at the start of the bench only': (round, place) =>
    place === 0 && round < 3 ? 0.6 : 0,
  'a host that drifts by 40 % over the bench, within rounds too': (round, place) => (round + place / 2) * 0.033,
  'a host that swings': (round) => 0.3 * Math.sin(round),
  'a host where every tenth run takes 20 times as long': (_round, _place, random) => (random() < 0.1 ? 20 : 0),
};

describe('a comparison of two equal variants (A/A)', () => {
  for (const [name, host] of Object.entries(hosts)) {
    it(`says 'no difference shown' in at least 95 of 100 repetitions on ${name}`, () => {
      const script: Script = {rounds: 12, base: 300, shift: 0, noise: 0.03, ...(host === undefined ? {} : {host})};
      expect(count(repeated(script, 100), 'no difference shown')).toBeGreaterThanOrEqual(95);
    });
  }

  it('keeps its false alarms near one in a hundred over a thousand repetitions', () => {
    const random = seededRandom(17);
    const alarms = Array.from({length: 1000}, () => {
      const rounds = scriptedRounds({rounds: 12, base: 300, shift: 0, noise: 0.03}, random);
      return randomizationTest([contrasts(rounds, 'log')], random).p[0]! <= level;
    }).filter(Boolean);
    expect(alarms.length).toBeLessThanOrEqual(20);
  });

  it('is not misled by looking at twenty milestones at once', () => {
    const random = seededRandom(7);
    const alarms = Array.from({length: 200}, () => {
      const rounds = scriptedRounds({rounds: 12, base: 300, shift: 0, noise: 0.03}, random);
      const rows = Array.from({length: 20}, () =>
        contrasts(
          rounds.map(({variantFirst}) => ({base: 300 + 20 * random(), variant: 300 + 20 * random(), variantFirst})),
          'log',
        ),
      );
      const {p, pTogether} = randomizationTest(rows, random);
      return {alone: Math.min(...p) <= level, together: Math.min(...pTogether) <= level};
    });
    expect(alarms.filter(({together}) => together).length).toBeLessThanOrEqual(8);
    // Each by itself would cry wolf in every sixth bench.
    expect(alarms.filter(({alone}) => alone).length).toBeGreaterThan(15);
  });
});

describe('a shift of 5 % within 12 rounds', () => {
  for (const name of [
    'a quiet host',
    'a host that slows whoever runs second by 20 %',
    'a host that drifts by 40 % over the bench, within rounds too',
    'a host that swings',
  ]) {
    it(`is found on ${name}`, () => {
      const host = hosts[name];
      const script: Script = {rounds: 12, base: 300, shift: 0.05, noise: 0.015, ...(host === undefined ? {} : {host})};
      const verdicts = repeated(script, 100);
      expect(count(verdicts, 'slower')).toBeGreaterThanOrEqual(95);
      expect(count(verdicts, 'faster')).toBe(0);
    });
  }

  it('is called faster where the variant takes 5 % less', () => {
    expect(count(repeated({rounds: 12, base: 300, shift: -0.05, noise: 0.015}, 50), 'faster')).toBeGreaterThanOrEqual(
      47,
    );
  });
});

describe('the interval', () => {
  it('holds the true difference in about 95 of 100 benches', () => {
    const random = seededRandom(11);
    const held = Array.from({length: 200}, () => {
      const {interval} = judged(
        scriptedRounds(
          {rounds: 12, base: 1000, shift: 0.1, noise: 0.03, host: (_round, place) => place * 0.05},
          random,
        ),
      );
      // The position makes both 5 % slower in half of the rounds, so the difference in milliseconds is 100 to 105.
      return interval !== null && interval.low <= 105 && interval.high >= 100;
    }).filter(Boolean);
    expect(held.length / 200).toBeGreaterThanOrEqual(0.92);
    expect(held.length / 200).toBeLessThanOrEqual(0.995);
  });

  it('is the same for the same seed', () => {
    const rounds = scriptedRounds({rounds: 10, base: 300, shift: 0.02, noise: 0.03}, seededRandom(3));
    expect(judged(rounds, 5)).toEqual(judged(rounds, 5));
  });
});

describe('thin and bad data (B2)', () => {
  const round = (base: number, variant: number, variantFirst: boolean): PairedRound => ({base, variant, variantFirst});
  const finite = (value: unknown): void => {
    const text = JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'number' && !Number.isFinite(item) ? 'NOT FINITE' : item,
    );
    expect(text).not.toContain('NOT FINITE');
  };

  it('says so of no round, one round and two equal rounds, without NaN', () => {
    for (const rounds of [[], [round(5, 6, true)], [round(5, 5, true), round(5, 5, false)]]) {
      const comparison = judged(rounds);
      expect(comparison.verdict).toBe('not enough data');
      finite(comparison);
    }
    expect(judged([]).difference).toBeNull();
    expect(judged([round(5, 6, true)]).difference).toBe(1);
    expect(judged([round(5, 6, true)]).interval).toBeNull();
  });

  it('says so of seven rounds, however clear they are: their orders cannot give one in a hundred', () => {
    const rounds = Array.from({length: 7}, (_, index) => round(100 + index, 50 + index, index % 2 === 0));
    expect(judged(rounds).verdict).toBe('not enough data');
    expect(judged(rounds).needed).toBe(8);
    expect(judged([...rounds, round(108, 58, false)])).toMatchObject({verdict: 'faster', needed: null});
  });

  it('asks for as many rounds as suffice, by the number of variants, and for none more', () => {
    const apart = (count: number): readonly PairedRound[] =>
      Array.from({length: count}, (_, index) => round(100 + index, 50 + index, index % 2 === 0));
    for (const comparisons of [1, 2, 5, 20, 100]) {
      const needed = roundsNeeded(comparisons) ?? 0;
      const verdict = (count: number): Verdict | undefined =>
        judge([{milestone: 'exit', rounds: apart(count)}], comparisons, 1)[0]?.verdict;
      expect([verdict(needed - 1), verdict(needed)]).toEqual(['not enough data', 'faster']);
    }
    expect(roundsNeeded(1)).toBe(8);
    expect(roundsNeeded(1000)).toBeNull();
  });

  it('finds no difference between values that are all the same, and a clear one where there is no variance', () => {
    const same = Array.from({length: 12}, (_, index) => round(5, 5, index % 2 === 0));
    const apart = Array.from({length: 12}, (_, index) => round(5, 6, index % 2 === 0));
    expect(judged(same)).toMatchObject({verdict: 'no difference shown', difference: 0, share: 0});
    expect(judged(apart)).toMatchObject({verdict: 'slower', difference: 1, interval: {low: 1, high: 1}});
    finite([judged(same), judged(apart)]);
  });

  it('is not turned by one run that takes 50 times as long', () => {
    const rounds = scriptedRounds({rounds: 12, base: 300, shift: -0.1, noise: 0.01}, seededRandom(5));
    const wild = rounds.map((one, index) => (index === 4 ? {...one, variant: one.variant * 50} : one));
    expect(judged(wild).verdict).toBe('faster');
    expect(judged(wild).difference).toBeCloseTo(-30, -1);
  });

  it('knows values of zero: milliseconds, and no share', () => {
    const rounds = Array.from({length: 12}, (_, index) => round(0, index % 3, index % 2 === 0));
    expect(judged(rounds).share).toBeNull();
    finite(judged(rounds));
  });

  it('leaves out rounds in which one of the two failed, and asks for data where too few are left', () => {
    const rounds = scriptedRounds({rounds: 12, base: 300, shift: 0.2, noise: 0.01}, seededRandom(6));
    const some = rounds.map((one, index) => (index % 6 === 0 ? undefined : one));
    expect(judged(some)).toMatchObject({n: 10, verdict: 'slower'});
    const few = rounds.map((one, index) => (index > 4 ? undefined : one));
    expect(judged(few)).toMatchObject({n: 5, verdict: 'not enough data'});
  });

  it('tells position and variant apart only when both orders occurred', () => {
    const rounds = Array.from({length: 12}, (_, index) => round(100 + index, 150 + index, true));
    expect(judged(rounds).verdict).toBe('not enough data');
  });
});
