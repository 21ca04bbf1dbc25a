import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {seededRandom} from '../../../src/bench/random.js';
import {looks} from '../../../src/savings/judgement.js';
import {Ledger} from '../../../src/savings/ledger.js';
import {addLaunch, launchesIn, launchUntilDecided, type ScriptedTarget, subject} from './scripted-launches.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bootcut-ledger-'));
});
afterEach(() => rmSync(directory, {recursive: true, force: true}));

const longest = (looks.at(-1) ?? 0) * 2;

/** How often each standing comes out of `times` trials of a target. */
const outcomes = (target: ScriptedTarget, times: number): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (let seed = 1; seed <= times; seed += 1) {
    const random = seededRandom(seed * 7919);
    const ledger = new Ledger(join(directory, String(seed)), random);
    const {standing} = launchUntilDecided(ledger, target, random, longest + 2);
    counts[standing] = (counts[standing] ?? 0) + 1;
  }
  return counts;
};

const steady = {base: 400, noise: 0.04};

describe('a trial', () => {
  it('confirms a gain of 5 % within 128 launches', () => {
    expect(outcomes({...steady, gain: 0.05}, 20)['pays']).toBeGreaterThanOrEqual(19);
  });

  it('confirms it on a machine that grows slower with every launch', () => {
    expect(outcomes({...steady, gain: 0.05, drift: 0.01}, 20)['pays']).toBeGreaterThanOrEqual(19);
  });

  it('finds out within 128 launches that an optimization is useless', () => {
    const counts = outcomes({...steady, gain: 0}, 20);
    expect(counts['trial'] ?? 0).toBe(0);
    expect((counts['no gain'] ?? 0) + (counts['slower'] ?? 0)).toBeGreaterThanOrEqual(19);
  });

  it('finds out one that makes launches slower', () => {
    const counts = outcomes({...steady, gain: -0.1}, 10);
    expect((counts['slower'] ?? 0) + (counts['no gain'] ?? 0)).toBe(10);
    expect(counts['slower'] ?? 0).toBeGreaterThan(0);
  });

  it('needs no more than 16 launches for a gain of a third', () => {
    const random = seededRandom(5);
    const {standing, launches} = launchUntilDecided(new Ledger(directory, random), {...steady, gain: 0.33}, random, 40);
    expect(standing).toBe('pays');
    expect(launches).toBe(16);
  });

  it('runs each block of two with and without, in either order', () => {
    const random = seededRandom(11);
    const ledger = new Ledger(directory, random);
    for (let at = 1; at <= 14; at += 1) addLaunch(ledger, {...steady, gain: 0.05}, random, at);
    const arms = launchesIn(ledger).map(({arm}) => arm);
    const blocks = Array.from({length: 7}, (_, index) => arms.slice(index * 2, index * 2 + 2));
    for (const block of blocks) expect([...block].sort()).toEqual(['held-back', 'used']);
    expect(new Set(blocks.map(([first]) => first)).size).toBe(2);
  });

  it('goes on where another process left it', () => {
    const random = seededRandom(3);
    addLaunch(new Ledger(directory, random), {...steady, gain: 0.05}, random, 1);
    addLaunch(new Ledger(directory, random), {...steady, gain: 0.05}, random, 2);
    expect(
      launchesIn(new Ledger(directory, random))
        .map(({arm}) => arm)
        .sort(),
    ).toEqual(['held-back', 'used']);
  });
});

describe('after a trial', () => {
  const adopted = (): Ledger => {
    const random = seededRandom(5);
    const ledger = new Ledger(directory, random);
    launchUntilDecided(ledger, {...steady, gain: 0.33}, random, 40);
    return ledger;
  };

  it('holds about one launch in N back', () => {
    const ledger = adopted();
    let heldBack = 0;
    for (let drawn = 0; drawn < 1000; drawn += 1) heldBack += ledger.draw(subject, 10).arm === 'held-back' ? 1 : 0;
    expect(heldBack).toBeGreaterThan(70);
    expect(heldBack).toBeLessThan(135);
  });

  it('holds none back when holdbacks are off', () => {
    const ledger = adopted();
    for (let drawn = 0; drawn < 200; drawn += 1) expect(ledger.draw(subject, 0).arm).toBe('used');
  });

  it('switches off what has ceased to pay', () => {
    const ledger = adopted();
    const random = seededRandom(17);
    for (let at = 100; at < 900; at += 1) addLaunch(ledger, {...steady, gain: 0}, random, at, 2);
    expect(ledger.accounts()[0]?.account.standing).toBe('no gain');
    expect(ledger.draw(subject, 20).arm).toBe('switched-off');
  });

  it('tries another preparation anew', () => {
    const ledger = adopted();
    const other = {...subject, prepared: 'two'};
    expect(ledger.draw(other, 20).trial).toBe(true);
    ledger.add(other, {kind: 'launch', at: 1, arm: 'used', trial: true, endpoint: 'ended', took: 1});
    expect(ledger.accounts()[0]?.account).toMatchObject({prepared: 'two', standing: 'trial'});
  });
});

describe('what a person wants', () => {
  it('goes before the standing, until it is given back', () => {
    const random = seededRandom(2);
    const ledger = new Ledger(directory, random);
    launchUntilDecided(ledger, {...steady, gain: 0}, random, longest);
    expect(ledger.draw(subject, 0).arm).toBe('switched-off');
    ledger.switch(subject.digest, 'on', 1);
    expect(ledger.draw(subject, 0).arm).toBe('used');
    ledger.switch(subject.digest, 'auto', 2);
    expect(ledger.draw(subject, 0).arm).toBe('switched-off');
    ledger.reset(subject.digest);
    expect(ledger.draw(subject, 20).trial).toBe(true);
  });

  it('holds for another preparation too', () => {
    const ledger = new Ledger(directory, seededRandom(1));
    ledger.add(subject, {kind: 'launch', at: 1, arm: 'used', trial: true, endpoint: 'ended', took: 1});
    ledger.switch(subject.digest, 'off', 2);
    expect(ledger.draw({...subject, prepared: 'two'}, 20).arm).toBe('switched-off');
  });
});

describe('the file', () => {
  const path = (): string => join(directory, `${subject.digest}.jsonl`);

  it.each([
    ['empty', ''],
    ['cut off', '{"kind":"about","v":1,"na'],
    ['full of zeroes', '\0'.repeat(4096)],
    ['of another shape', '[]\nnull\n"x"\n{"kind":"launch","at":"soon"}\n'],
  ])('counts as empty when it is %s, and is written to', (_, text) => {
    mkdirSync(directory, {recursive: true});
    writeFileSync(path(), text);
    const ledger = new Ledger(directory, seededRandom(1));
    expect(ledger.draw(subject, 20).trial).toBe(true);
    ledger.add(subject, {kind: 'launch', at: 1, arm: 'used', trial: true, endpoint: 'ended', took: 5});
    expect(launchesIn(new Ledger(directory))).toHaveLength(1);
  });

  it('loses only the line that a crash has cut', () => {
    const random = seededRandom(4);
    const ledger = new Ledger(directory, random);
    for (let at = 1; at <= 3; at += 1) addLaunch(ledger, {...steady, gain: 0}, random, at);
    appendFileSync(path(), '{"kind":"launch","at":4,"arm":"us');
    addLaunch(ledger, {...steady, gain: 0}, random, 5);
    expect(launchesIn(new Ledger(directory))).toHaveLength(4);
  });

  it('is passed over where a directory is in its place', () => {
    mkdirSync(path());
    const ledger = new Ledger(directory, seededRandom(1));
    expect(ledger.draw(subject, 20).trial).toBe(true);
    expect(ledger.accounts()).toEqual([]);
  });

  it('stays small, keeps what was found, and belongs to the user alone', () => {
    const random = seededRandom(5);
    const ledger = new Ledger(directory, random);
    launchUntilDecided(ledger, {...steady, gain: 0.33}, random, 40);
    for (let at = 50; at < 3000; at += 1)
      ledger.add(subject, {kind: 'launch', at, arm: 'used', trial: false, endpoint: 'ended', took: 10});
    const stat = statSync(path());
    expect(stat.size).toBeLessThan(130 * 1024);
    expect(stat.mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual([`${subject.digest}.jsonl`]);
    expect(readFileSync(path(), 'utf8')).toContain('"pays"');
    expect(ledger.accounts()[0]?.account.standing).toBe('pays');
  });
});
