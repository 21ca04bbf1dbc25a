import {join, sep} from 'node:path';
import type {AnswerCache} from '../cache/answer-cache.js';
import {readSettings} from '../config/settings.js';
import type {Json} from '../model/json.js';
import {type LaunchId, ms} from '../model/units.js';
import {countsOf} from '../profile/counts.js';
import type {ExpectedEntry} from '../savings/entry.js';
import type {Ledger} from '../savings/ledger.js';
import type {SharedLaunch} from '../steps/messages.js';
import {digest} from '../system/digest.js';
import type {Log} from '../system/log-file.js';
import {type AskingSteps, askingSteps, connectAheadOf} from './expected-look-ups.js';
import type {ChosenOptimization} from './optimizations.js';
import {Predictions} from './predictions.js';
import type {PreparedLaunch} from './prepare.js';
import {beginWarmUp, type WarmUpPlace, type WarmUpRun} from './warm-up-run.js';

/** A launch that begins within this time after the end of another in the same directory has followed it, milliseconds. */
const followsWithin = 10_000;

/** How long a launch is expected: after another launch, and in a project that somebody has entered. Milliseconds. */
const expectedFor = {behind: 20_000, entered: 120_000};

/** What was predicted wrongly three times in a row has to happen twice within this time. */
const proofWithin = ms(30 * 60_000);

/** Launches that are expected at a time: each may take the memory that its optimizations are given. */
const mostExpected = 3;

/** Programs whose last launch is remembered, those launched last. */
const mostKnown = 50;

/** Programs that a project is expected to launch when it is entered: those launched last. */
const mostEntered = 2;

/** The last launch of a program in a directory. */
interface Known {
  /** Digest of directory and subjects. */
  readonly key: string;
  /** With its environment: in memory only, it may hold secrets. */
  readonly launch: SharedLaunch;
  /** What can be warmed up ahead of its next launch. */
  readonly optimizations: readonly ChosenOptimization[];
  /** Look-ups that may have to ask a far host then. */
  readonly asking: readonly AskingSteps[];
  endedAt?: number;
}

/** A launch that is expected, and what is warmed for it. */
interface Expected {
  readonly known: Known;
  /** The prediction's name. */
  readonly place: string;
  readonly runs: readonly {readonly chosen: ChosenOptimization; readonly run: WarmUpRun}[];
  readonly lookUps: WarmUpRun | undefined;
  readonly timer: NodeJS.Timeout;
}

export interface ExpectedLaunchesParts extends WarmUpPlace {
  readonly ledger: Ledger;
  readonly cache: AnswerCache;
  readonly log: Log;
  readonly configDirectory: string;
  /** Where it is kept how predictions have come out; no name of a program or a directory is among it. */
  readonly stateDirectory: string | undefined;
}

/**
 * Launches of programs that are expected: behind a launch that another has followed within seconds before, and in a project
 * that somebody enters (`bootcut standby hook`). What warms up ahead begins then, and connections for look-ups that will have
 * to ask are made; the launch that comes takes it over. The rule for predictions that go wrong is that of the standbys. Nothing runs while nothing is expected.
 */
export class ExpectedLaunches {
  readonly #parts: ExpectedLaunchesParts;
  readonly #predictions: Predictions;
  readonly #known = new Map<string, Known>();
  /** Which program's launch came behind a program's last time, by key. */
  readonly #followers = new Map<string, string>();
  readonly #expected = new Map<string, Expected>();
  #count = 0;

  constructor(parts: ExpectedLaunchesParts) {
    this.#parts = parts;
    const {stateDirectory} = parts;
    this.#predictions = new Predictions(
      stateDirectory === undefined ? undefined : join(stateDirectory, 'expected.json'),
    );
  }

  /** A launch has been planned: what was warmed up for it is its own from now on. */
  arrived(prepared: Pick<PreparedLaunch, 'launch' | 'optimizations' | 'steps'>): readonly WarmUpRun[] {
    const {launch} = prepared;
    const able = prepared.optimizations.filter(({info, state}) => info.warmsAhead && isPrepared(state));
    const asking = askingSteps(prepared);
    if (able.length === 0 && asking.length === 0) return [];
    const kind = able.length === 0 ? [launch.runtime, launch.verb] : able.map(({subject}) => subject.digest);
    const key = digest(JSON.stringify([launch.cwd, ...kind]), 32);
    this.#predicted(key, launch);
    const previous = this.#known.get(key);
    this.#known.delete(key); // the newest last
    const {endedAt} = previous ?? {};
    this.#known.set(key, {key, launch, optimizations: able, asking, ...(endedAt === undefined ? {} : {endedAt})});
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostKnown) break;
      this.#known.delete(oldest);
      this.#followers.delete(oldest);
    }
    const expected = this.#expected.get(key);
    if (expected === undefined) return [];
    this.#over(expected, true);
    return allRuns(expected);
  }

  /** A launch is over: the one that followed it last time is expected. */
  ended({launch}: Pick<PreparedLaunch, 'launch'>): void {
    const known = [...this.#known.values()].findLast((one) => one.launch.id === launch.id);
    if (known === undefined) return;
    known.endedAt = this.#parts.clock.now();
    const follower = this.#followers.get(known.key);
    const next = follower === undefined ? undefined : this.#known.get(follower);
    if (next !== undefined) this.#expect(next, behind(known.key, next.key), expectedFor.behind);
  }

  /** Somebody has entered a project: says how many launches are expected there now. */
  entered(directory: string): number {
    const below = directory.endsWith(sep) ? directory : `${directory}${sep}`;
    const here = [...this.#known.values()].filter(({launch: {cwd}}) => cwd === directory || cwd.startsWith(below));
    for (const known of here.slice(-mostEntered)) this.#expect(known, entering(known.key), expectedFor.entered);
    return here.filter(({key}) => this.#expected.has(key)).length;
  }

  close(): void {
    for (const expected of this.#expected.values()) {
      clearTimeout(expected.timer);
      for (const {end} of allRuns(expected)) end.abort();
    }
    this.#expected.clear();
  }

  /** Takes down what would have predicted the launch that comes. */
  #predicted(key: string, {cwd}: SharedLaunch): void {
    const {clock} = this.#parts;
    this.#predictions.launched(entering(key), clock.wall());
    let last: {readonly key: string; readonly endedAt: number} | undefined;
    for (const {key: other, launch, endedAt} of this.#known.values()) {
      if (launch.cwd === cwd && endedAt !== undefined && endedAt > (last?.endedAt ?? 0)) last = {key: other, endedAt};
    }
    if (last === undefined || clock.now() - last.endedAt > followsWithin) return;
    this.#followers.set(last.key, key);
    this.#predictions.launched(behind(last.key, key), clock.wall());
  }

  #expect(known: Known, place: string, limit: number): void {
    const {configDirectory, ledger, log} = this.#parts;
    const {asking} = known;
    const {values} = readSettings(configDirectory);
    if (values.expect !== true || values.optimizations !== true) return;
    if (this.#expected.has(known.key) || this.#expected.size >= mostExpected) return;
    if (!this.#predictions.isWorthIt(place, proofWithin)) return;
    // Its turn to be held back is drawn now: a launch that goes without must find nothing warmed.
    const holdback = typeof values.holdback === 'number' ? values.holdback : 0;
    const wanted = known.optimizations.filter(({subject}) => ledger.drawAhead(subject, holdback) === 'used');
    if (wanted.length === 0 && asking.length === 0) return;
    this.#count += 1;
    const id = `${known.launch.id}.expected${this.#count}` as LaunchId;
    const launch = {...known.launch, id};
    const hosts = new Set([...wanted, ...asking].map(({host}) => host));
    for (const host of hosts) host.remember(launch);
    const runs = wanted.map((chosen) => ({chosen, run: beginWarmUp(this.#parts, id, chosen, true)}));
    const lookUps = asking.length === 0 ? undefined : connectAheadOf(this.#parts, launch, asking);
    const timer = setTimeout(() => {
      for (const {end} of allRuns(expected)) end.abort();
      this.#over(expected, false);
    }, limit).unref();
    const expected: Expected = {known, place, runs, lookUps, timer};
    this.#expected.set(known.key, expected);
    void Promise.all(allRuns(expected).map(async ({ended}) => await ended)).then(() => {
      for (const host of hosts) host.forget(id);
      const said = lookUps?.seen()?.said;
      if (said !== undefined) log('connected-ahead', {said});
    });
    void lookUps?.due.then((isDue) => {
      if (!isDue && wanted.length === 0) this.#withdraw(expected);
    });
    if (wanted.length > 0)
      log('expected', {optimizations: wanted.map(({subject}) => subject.name), label: wanted[0]?.subject.label ?? ''});
  }

  /** There was nothing to do ahead: then it is no prediction either, and others have its place. */
  #withdraw(expected: Expected): void {
    clearTimeout(expected.timer);
    if (this.#expected.get(expected.known.key) === expected) this.#expected.delete(expected.known.key);
  }

  /** A prediction has come true, or not. What its warm-ups have cost is entered once they have ended. */
  #over(expected: Expected, came: boolean): void {
    clearTimeout(expected.timer);
    this.#expected.delete(expected.known.key);
    const note = (): void => this.#predictions.ended(expected.place, came);
    if (came)
      setImmediate(note); // it writes a file, and a launch waits for its plan
    else note();
    for (const {chosen, run} of expected.runs) void run.ended.then(() => this.#enter(chosen, run, came));
  }

  #enter({subject}: ChosenOptimization, run: WarmUpRun, came: boolean): void {
    const said: Json = run.seen()?.said ?? null;
    const entry: ExpectedEntry = {kind: 'expected', at: this.#parts.clock.wall(), came, counts: countsOf(said)};
    try {
      this.#parts.ledger.add(subject, entry);
    } catch (error) {
      this.#parts.log('ledger-not-written', {code: (error as NodeJS.ErrnoException).code});
    }
  }
}

const allRuns = ({runs, lookUps}: Expected): readonly WarmUpRun[] => [
  ...runs.map(({run}) => run),
  ...(lookUps === undefined ? [] : [lookUps]),
];

/** Warming up for a launch from which only is learnt would warm what it is to be seen to read. */
const isPrepared = (state: ChosenOptimization['state']): boolean => state === 'used' || state === 'held-back';

const behind = (first: string, second: string): string => `${first}>${second}`;

const entering = (key: string): string => `>${key}`;
