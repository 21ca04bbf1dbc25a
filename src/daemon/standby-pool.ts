import {mkdirSync, openSync} from 'node:fs';
import {join} from 'node:path';
import {durationSetting, readSettings, sizeSetting} from '../config/settings.js';
import {Predictions} from '../launch/predictions.js';
import type {StandbySource} from '../launch/prepare.js';
import type {StandbySpec} from '../model/plan.js';
import {ms} from '../model/units.js';
import type {StandbyState} from '../protocol/asks.js';
import type {Clock} from '../system/clock.js';
import {digest as digestOf} from '../system/digest.js';
import type {Log} from '../system/log-file.js';
import {canBeSaved, SavedStandbys} from './saved-standbys.js';
import {type StandbyForm, StandbyProcess} from './standby-process.js';

/** A launch gets this long for itself before the next standby boots beside it, in milliseconds. */
const bootDelay = 2000;

/** How often waiting standbys are looked after (memory, age, a suspended machine), in milliseconds. */
const lookAfter = 60_000;

/** Clocks that drift apart this much between two looks mean that the machine has slept, in milliseconds. */
const sleepGap = 10_000;

/** This share of the memory stays free, whatever the budget says. */
const freeShare = 0.15;

interface Kept {
  readonly digest: string;
  readonly process: StandbyProcess;
  /** Monotonic; when it was begun. */
  readonly since: number;
  takenBy?: string;
}

export interface StandbyPoolParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly state: string;
  readonly socketDirectory: string;
  readonly configDirectory: string;
  /** Bytes that programs could still have, and all there are. */
  readonly memory: () => {readonly free: number; readonly total: number};
}

/** The targets that the daemon keeps booted: which, for how long, and within which budget. */
export class StandbyPool implements StandbySource {
  readonly #parts: StandbyPoolParts;
  readonly #history: Predictions;
  readonly #kept = new Set<Kept>();
  readonly #saved = new SavedStandbys();
  #count = 0;
  #errors: number | 'ignore' | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt: {readonly wall: number; readonly now: number} | undefined;
  #closed = false;

  constructor(parts: StandbyPoolParts) {
    this.#parts = parts;
    this.#history = new Predictions(join(parts.state, 'standby.json'));
  }

  take(wanted: StandbySpec, launch: string): string | undefined {
    const digest = kindOf(wanted);
    const found = [...this.#kept].find(
      (kept) => kept.digest === digest && kept.takenBy === undefined && kept.process.isFree,
    );
    if (found === undefined) return undefined;
    found.takenBy = launch;
    return found.process.socket;
  }

  /** A launch of this kind is under way. The next one is expected here, if that has been worth it so far. */
  launched(spec: StandbySpec, launch: string): void {
    const digest = kindOf(spec);
    this.#history.launched(spec.place, this.#parts.clock.wall());
    const {values} = readSettings(this.#parts.configDirectory);
    if (values.standby !== true) {
      void this.drop();
      return;
    }
    // Of an image or with settings that are no longer those of its place: nobody will come for it.
    for (const kept of this.#kept)
      if (kept.process.spec.place === spec.place && kept.digest !== digest) void this.#end(kept);
    const taken = [...this.#kept].find(({takenBy}) => takenBy === launch);
    // What was promised to a launch that never came for it is free again.
    setTimeout(() => {
      if (taken !== undefined && taken.process.isFree) delete taken.takenBy;
      if (this.#history.isWorthIt(spec.place, ms(durationSetting(values, 'standby.keep')))) this.#ensure(digest, spec);
    }, bootDelay).unref();
  }

  /** One for this kind, at once, and how it waits; the reason why not. */
  async start(
    spec: StandbySpec,
  ): Promise<{readonly ok: true; readonly form: StandbyForm} | {readonly ok: false; detail: string}> {
    const digest = kindOf(spec);
    const refused = this.#ensure(digest, spec);
    if (refused !== undefined) return {ok: false, detail: refused};
    const kept = [...this.#kept].find((one) => one.digest === digest && one.takenBy === undefined);
    const form = kept === undefined ? 'saved' : 'paused';
    const process = kept?.process ?? this.#saved.processOf(digest);
    if (process === undefined || (await process.ready)) return {ok: true, form};
    return {ok: false, detail: `it ended before it was ready; see ${this.#errorPath}`};
  }

  /** Ends those of one place, or all; says how many there were. */
  async drop(place?: string): Promise<number> {
    const dropped = [...this.#kept].filter(
      ({process, takenBy}) => takenBy === undefined && (place === undefined || process.spec.place === place),
    );
    await Promise.all(dropped.map((kept) => this.#end(kept)));
    return dropped.length;
  }

  list(): readonly StandbyState[] {
    const stateOf = (process: StandbyProcess, since: number): StandbyState => ({
      place: process.spec.place,
      state: process.figures === undefined ? 'booting' : 'ready',
      pid: process.pid ?? 0,
      form: process.figures?.form ?? null,
      memoryKb: process.figures?.memoryKb ?? null,
      bootMs: process.figures?.bootMs ?? null,
      ageMs: this.#parts.clock.now() - since,
      ...this.#history.figures(process.spec.place),
    });
    const kept = [...this.#kept].map(
      ({process, since, takenBy}): StandbyState => ({
        ...stateOf(process, since),
        ...(takenBy === undefined ? {} : {state: 'taken'}),
      }),
    );
    const saved = this.#saved.list().map(
      ({process, since}): StandbyState => ({
        ...stateOf(process, since),
        form: 'saved',
        ...(process.hasEnded ? {pid: 0, memoryKb: 0} : {memoryKb: null}),
      }),
    );
    return [...kept, ...saved];
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all([...[...this.#kept].map(({process}) => process.drop()), this.#saved.close()]);
  }

  /** Begins one if there is none of this kind; undefined, or why that cannot be. */
  #ensure(digest: string, spec: StandbySpec): string | undefined {
    if (this.#closed) return 'the daemon is leaving';
    if ([...this.#kept].some((kept) => kept.digest === digest && kept.takenBy === undefined)) return undefined;
    const budget = sizeSetting(readSettings(this.#parts.configDirectory).values, 'standby.memory');
    const waiting = [...this.#kept].filter(({takenBy}) => takenBy === undefined);
    // The place used last comes first: older ones make room.
    while (waiting.length > 0 && memoryOf(waiting) + spec.memory > budget) {
      const oldest = waiting.shift();
      if (oldest !== undefined) void this.#end(oldest);
    }
    if (spec.memory > budget && canBeSaved(spec)) return this.#save(digest, spec);
    if (spec.memory > budget) return `it needs ${spec.memory} MiB, the setting standby.memory allows ${budget}`;
    if (!this.#hasRoomFor(spec.memory)) return 'the machine is short of memory';
    this.#begin(digest, spec);
    return undefined;
  }

  /** There is no room for one that waits: the next launch goes on from one that is written down. */
  #save(digest: string, spec: StandbySpec): undefined {
    this.#saved.ensure(digest, spec, this.#parts.clock.now(), () => {
      const saving = this.#process(spec, 'saved');
      void saving.ready.then((isReady) => {
        this.#parts.log(isReady ? 'standby-saved' : 'standby-not-saved', {place: spec.place, ...saving.figures});
      });
      return saving;
    });
  }

  #process(spec: StandbySpec, form: StandbyForm): StandbyProcess {
    this.#count += 1;
    const socket = join(this.#parts.socketDirectory, `standby-${process.pid}-${this.#count}`);
    this.#errors ??= openErrors(this.#errorPath);
    return new StandbyProcess(spec, socket, this.#errors, form);
  }

  #begin(digest: string, spec: StandbySpec): void {
    this.#saved.drop(digest);
    const kept: Kept = {digest, process: this.#process(spec, 'paused'), since: this.#parts.clock.now()};
    this.#kept.add(kept);
    void kept.process.ready.then((isReady) => {
      this.#parts.log(isReady ? 'standby-ready' : 'standby-not-ready', {place: spec.place, ...kept.process.figures});
    });
    void kept.process.ended.then(() => {
      this.#kept.delete(kept);
      if (kept.process.figures !== undefined) this.#history.ended(spec.place, kept.takenBy !== undefined);
    });
    this.#arm();
  }

  #hasRoomFor(mebibytes: number): boolean {
    const {free, total} = this.#parts.memory();
    return free - mebibytes * 1024 * 1024 > total * freeShare;
  }

  async #end(kept: Kept): Promise<void> {
    await kept.process.drop();
    this.#parts.log('standby-dropped', {place: kept.process.spec.place});
  }

  get #errorPath(): string {
    return join(this.#parts.state, 'log', 'standby.log');
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#lookedAt = {wall: this.#parts.clock.wall(), now: this.#parts.clock.now()};
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.look();
      if (this.#kept.size > 0) this.#arm();
    }, lookAfter).unref();
  }

  /** Drops what is too old, everything when memory is short, and everything after a sleep of the machine. */
  look(): void {
    const {clock, configDirectory} = this.#parts;
    const before = this.#lookedAt ?? {wall: clock.wall(), now: clock.now()};
    const slept = Math.abs(clock.wall() - before.wall - (clock.now() - before.now)) > sleepGap;
    const keep = durationSetting(readSettings(configDirectory).values, 'standby.keep');
    for (const kept of this.#kept) {
      if (kept.takenBy !== undefined) continue;
      if (slept || !this.#hasRoomFor(0) || clock.now() - kept.since > keep) void this.#end(kept);
    }
  }
}

/** What a launch and a standby must have in common, in one word. */
const kindOf = ({key, command}: StandbySpec): string => digestOf(JSON.stringify([key, command]), 40);

const memoryOf = (kept: readonly Kept[]): number => kept.reduce((sum, {process}) => sum + process.spec.memory, 0);

const openErrors = (path: string): number | 'ignore' => {
  try {
    mkdirSync(join(path, '..'), {recursive: true, mode: 0o700});
    return openSync(path, 'w', 0o600);
  } catch {
    return 'ignore';
  }
};
