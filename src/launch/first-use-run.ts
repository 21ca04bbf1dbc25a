import type {Clock} from '../system/clock.js';
import {type AlwaysAsked, askAlways, type Question} from './asking.js';
import type {StepProgress} from './run-steps.js';

/**
 * A step of one launch that is put off to its first use: runs once, when it is first asked for, and everybody who asks gets
 * what it gave. Its progress is the launch's record of it.
 */
export class FirstUseRun<Use> {
  readonly step: StepProgress;
  readonly #clock: Clock;
  readonly #read: (use: unknown) => Use | undefined;
  readonly #over = new AbortController();
  #result: Promise<Use | undefined> | undefined;

  /** `read` checks what the plugin gave: undefined for anything else than what it must be. */
  constructor(question: Question, clock: Clock, read: (use: unknown) => Use | undefined) {
    const now = clock.now();
    this.step = {question, state: 'not-used', from: now, to: now, cost: 0, edits: [], spans: []};
    this.#clock = clock;
    this.#read = read;
  }

  /** What the step gives, or undefined: it failed, took too long, or the launch is over. Never rejects. */
  async use(): Promise<Use | undefined> {
    this.#result ??= this.#run();
    return await this.#result;
  }

  /** It cannot be put off in this launch, and why. */
  refuse(reason: string, detail: string): void {
    Object.assign(this.step, {state: 'failed', reason, detail});
  }

  /** The launch is over: nobody makes use of it any more. Resolves when nothing of it runs. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#result;
  }

  async #run(): Promise<Use | undefined> {
    if (this.#over.signal.aborted) return undefined;
    const {step} = this;
    Object.assign(step, {state: 'deferred', from: this.#clock.now()});
    const asked = await askAlways(step.question, this.#clock, this.#over.signal);
    step.to = this.#clock.now();
    step.cost = step.to - step.from;
    return this.#take(asked);
  }

  #take(asked: AlwaysAsked): Use | undefined {
    const {step} = this;
    if (!asked.ok) {
      const isLate = asked.reason === 'timed-out';
      const ended = this.#over.signal.aborted;
      Object.assign(step, {
        state: isLate ? 'timed-out' : 'failed',
        reason: ended ? 'ended' : asked.reason,
        detail: ended ? 'the launch ended first' : asked.detail,
      });
      return undefined;
    }
    const use = this.#read(asked.use);
    step.spans = asked.spans;
    if (use === undefined) this.refuse('malformed', 'what it gave is not what its trigger takes');
    else step.state = 'read';
    return use;
  }
}

/** The launch is over for all of these. */
export const endRuns = async (runs: readonly FirstUseRun<unknown>[]): Promise<void> => {
  await Promise.all(runs.map(async (run) => await run.end()));
};
