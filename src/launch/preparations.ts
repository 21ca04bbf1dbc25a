import pLimit from 'p-limit';
import type {Outcome} from '../model/record.js';
import type {PreparationEntry} from '../savings/entry.js';
import type {Ledger} from '../savings/ledger.js';
import {childrenTime} from '../system/children-time.js';
import type {Clock} from '../system/clock.js';
import type {Log} from '../system/log-file.js';
import type {ChosenOptimization} from './optimizations.js';
import type {PreparedLaunch} from './prepare.js';

/** After a preparation that did not work the subject is left alone for a day. */
const retryAfter = 24 * 3_600_000;

/**
 * Prepares what launches have shown to be worth it, behind them: each subject once at a time however many launches want it,
 * and one subject after the other, for it is the user's machine.
 */
export class Preparations {
  readonly #ledger: Ledger;
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #wanted = new Set<string>();
  readonly #inTurn = pLimit(1);

  constructor(parts: {
    readonly ledger: Ledger;
    readonly directory: string;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#ledger = parts.ledger;
    this.#directory = parts.directory;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Not while it is being prepared, nor soon after that has failed. */
  mayPrepare(subject: string): boolean {
    if (this.#wanted.has(subject)) return false;
    const failedAt = this.#ledger.failedAt(subject);
    const age = failedAt === undefined ? Number.POSITIVE_INFINITY : this.#clock.wall() - failedAt;
    return age < 0 || age > retryAfter;
  }

  /** Prepares what a launch that has ended was learnt from. Resolves when that is done; never rejects. */
  async after({launch, optimizations}: PreparedLaunch, outcome: Outcome): Promise<void> {
    // Nothing is learnt from a target that never ran, or that a front which gave us up has started by a plan of its own.
    if (outcome.kind === 'lost' || outcome.kind === 'not-started') return;
    await Promise.all(
      optimizations
        .filter(({state, subject}) => state === 'learning' && this.mayPrepare(subject.digest))
        .map(async (chosen) => {
          this.#wanted.add(chosen.subject.digest);
          try {
            await this.#inTurn(async () => await this.#prepare(launch.id, chosen, outcome));
          } finally {
            this.#wanted.delete(chosen.subject.digest);
          }
        }),
    );
  }

  async #prepare(
    launch: PreparedLaunch['launch']['id'],
    {host, info, subject}: ChosenOptimization,
    outcome: Outcome,
  ): Promise<void> {
    const [began, spent] = [this.#clock.now(), childrenTime()];
    const ref = {plugin: info.plugin, name: info.name};
    const args = {launch, ref, directory: this.#directory, outcome};
    const result = await host.call('prepare', args, {limit: info.limit});
    const spentNow = childrenTime();
    const entry: PreparationEntry = {
      kind: 'preparation',
      at: this.#clock.wall(),
      took: Math.round(this.#clock.now() - began),
      ...(spent === undefined || spentNow === undefined ? {} : {processor: Math.round(spentNow - spent)}),
      ...(result.ok ? bytesOf(result.value) : {failure: result.fault.detail.slice(0, 500)}),
    };
    this.#log('prepared', {optimization: subject.name, subject: subject.label, ...entry});
    try {
      this.#ledger.add(subject, entry);
    } catch (error) {
      this.#log('ledger-not-written', {code: (error as NodeJS.ErrnoException).code});
    }
  }
}

/** A plugin may return anything. */
const bytesOf = ({bytes, detail}: {readonly bytes: unknown; readonly detail?: unknown}): Partial<PreparationEntry> => ({
  ...(typeof bytes === 'number' && Number.isFinite(bytes) && bytes >= 0 ? {bytes} : {}),
  ...(typeof detail === 'string' ? {detail: detail.slice(0, 500)} : {}),
});
