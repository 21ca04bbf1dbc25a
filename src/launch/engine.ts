import type {AnswerCache} from '../cache/answer-cache.js';
import type {LaunchRequest} from '../model/launch.js';
import type {LaunchRecord, Outcome} from '../model/record.js';
import {ms} from '../model/units.js';
import type {RecordLog} from '../record/record-log.js';
import {stepName} from '../steps/messages.js';
import type {Log} from '../system/log-file.js';
import {keepAccounts} from './account-keeping.js';
import {keepingOf} from './asking.js';
import {ExpectedLaunches} from './expected-launches.js';
import {type LaunchCourse, recordOf} from './finish.js';
import type {Preparations} from './preparations.js';
import {type EngineParts, type Prepared, type PreparedLaunch, prepareLaunch} from './prepare.js';
import {WarmUps} from './warm-ups.js';

/** Plans launches and records them; the same object serves the daemon and a front that has none. */
export class Engine {
  readonly parts: EngineParts;
  readonly #records: RecordLog | undefined;
  readonly #log: Log;

  readonly #warmUps: WarmUps | undefined;
  readonly #preparations: Preparations | undefined;
  /** Only the daemon is there before a launch. */
  readonly #expected: ExpectedLaunches | undefined;
  readonly #outcomes = new WeakMap<PreparedLaunch, Outcome>();

  constructor(parts: EngineParts, records: RecordLog | undefined, log: Log) {
    this.parts = parts;
    this.#records = records;
    this.#log = log;
    const {optimizations, clock, cache} = parts;
    this.#preparations = optimizations?.preparations;
    if (optimizations === undefined) return;
    const place = {clock, directory: optimizations.directory};
    this.#warmUps = new WarmUps(place);
    const {configDirectory, stateDirectory} = parts;
    if (this.#preparations !== undefined)
      this.#expected = new ExpectedLaunches({
        ...place,
        ledger: optimizations.ledger,
        cache,
        log,
        configDirectory,
        stateDirectory,
      });
  }

  get cache(): AnswerCache {
    return this.parts.cache;
  }

  /** Plans a launch. Throws only for bugs. */
  async prepare(request: LaunchRequest, place: 'daemon' | 'in-process'): Promise<Prepared> {
    const prepared = await prepareLaunch(this.parts, request, place);
    if (prepared.kind === 'planned' && place === 'daemon')
      this.#warmUps?.start(prepared, this.#expected?.arrived(prepared) ?? []);
    return prepared;
  }

  /** Somebody has entered a project: says how many launches are expected there now. */
  entered(directory: string): number {
    return this.#expected?.entered(directory) ?? 0;
  }

  close(): void {
    this.#expected?.close();
  }

  /** The target runs, as this process: the next launch of its kind may be worth preparing for. */
  started(prepared: PreparedLaunch, pid: number): void {
    const {ways, launch} = prepared;
    const {wanted} = ways;
    this.#warmUps?.watch(prepared, pid);
    if (wanted !== undefined) this.parts.standbys?.launched(wanted, launch.id);
  }

  /** Records a finished launch. A record that cannot be written costs the record, never the launch. */
  async finish(prepared: PreparedLaunch, course: LaunchCourse): Promise<LaunchRecord> {
    prepared.ways.close();
    await prepared.firstUses.end();
    const record = await recordOf(prepared, course, this.#warmUps?.end(prepared.launch.id));
    this.#outcomes.set(prepared, record.outcome);
    try {
      this.#records?.append(record);
    } catch (error) {
      this.#log('record-not-written', {launch: record.id, code: (error as NodeJS.ErrnoException).code});
    }
    this.#keepAccounts(prepared, course, record);
    await prepared.firstUses.close();
    return record;
  }

  #keepAccounts(prepared: PreparedLaunch, course: LaunchCourse, record: LaunchRecord): void {
    const {optimizations} = this.parts;
    if (optimizations === undefined || prepared.optimizations.length === 0) return;
    try {
      keepAccounts(optimizations, prepared, course, record);
    } catch (error) {
      this.#log('ledger-not-written', {launch: record.id, code: (error as NodeJS.ErrnoException).code});
    }
  }

  /**
   * After the end: takes up what the target found out by itself, waits until nothing is asked for this launch any more,
   * and forgets it.
   */
  async settle(prepared: PreparedLaunch): Promise<void> {
    if (prepared.runtime.adopts) await this.#adopt(prepared);
    this.#expected?.ended(prepared);
    await prepared.quiet;
    const outcome = this.#outcomes.get(prepared);
    if (outcome !== undefined) await this.#preparations?.after(prepared, outcome);
    for (const {host} of await this.parts.plugins.all()) host.forget(prepared.launch.id);
  }

  async #adopt({host, launch, runtime, steps}: PreparedLaunch): Promise<void> {
    const lacking = steps.filter(({value, state}) => value === undefined && state !== 'read');
    if (lacking.length === 0) return;
    const result = await host.call('adopt', {launch: launch.id, runtime: runtime.name});
    if (!result.ok) return;
    for (const {question} of lacking) {
      const value = result.value[stepName(question.ref)];
      if (value === undefined || (await this.cache.look(question.key, keepingOf(question))).state !== 'missing')
        continue;
      await this.cache.store(question.key, keepingOf(question), {value, files: [], took: ms(0)});
    }
  }
}
