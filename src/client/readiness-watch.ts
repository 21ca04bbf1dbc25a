import type {ReadinessSeen} from '../launch/finish.js';
import type {LaunchOptions} from '../model/launch.js';
import type {Moment} from '../model/units.js';
import type {Condition} from '../readiness/condition.js';
import {LineFeed} from '../readiness/line-feed.js';
import {parseCondition} from '../readiness/parse-condition.js';
import {ProcessTree} from '../readiness/process-tree.js';
import {type ArmedCondition, armConditions, readsOutput, unmetLines, waitForEach} from '../readiness/wait.js';
import {systemClock} from '../system/clock.js';
import {visible} from '../system/visible.js';
import type {TargetEnd} from './run-target.js';

/** Last lines of stderr that a record keeps as a note where the launch never was ready. */
const keptLines = 5;

/** Which of the target's streams may go through us without anybody noticing. */
export interface ReadableStreams {
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/**
 * Watches from the outside whether a launch becomes ready. The target is what it would be without: not waited for, not
 * ended, its streams untouched where touching them could be seen. What comes of it goes to the record, and to stderr when
 * it did not become ready.
 */
export class ReadinessWatch {
  /** Take the target's output as it passes by; absent where nobody reads along. */
  readonly onStdout: ((chunk: Buffer) => void) | undefined;
  readonly onStderr: ((chunk: Buffer) => void) | undefined;
  readonly #armed: readonly ArmedCondition[];
  readonly #limit: number;
  readonly #cwd: string;
  readonly #stdout: LineFeed | undefined;
  readonly #stderr: LineFeed | undefined;
  readonly #over = new AbortController();
  readonly #met = new Set<Condition>();
  readonly #milestones: {readonly name: string; readonly at: Moment}[] = [];
  #readyAt: Moment | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(until: NonNullable<LaunchOptions['until']>, cwd: string, canRead: ReadableStreams) {
    const conditions = until.conditions.flatMap((text): readonly Condition[] => {
      const parsed = parseCondition(text);
      return parsed.ok ? [parsed.value] : [];
    });
    [this.#armed, this.#limit, this.#cwd] = [armConditions(conditions, cwd), until.limit, cwd];
    [this.#stdout, this.#stderr] = (['stdout', 'stderr'] as const).map((stream) =>
      canRead[stream] && conditions.some((condition) => readsOutput(condition, stream)) ? new LineFeed() : undefined,
    );
    [this.onStdout, this.onStderr] = [this.#stdout, this.#stderr].map((feed) =>
      feed === undefined ? undefined : (chunk: Buffer) => feed.push(chunk),
    );
  }

  /** Begins to watch a target that has just been started. */
  begin(pid: number): void {
    const target = {
      startedAt: systemClock.now(),
      tree: new ProcessTree(pid),
      env: process.env,
      cwd: this.#cwd,
      stdout: this.#stdout,
      stderr: this.#stderr,
    };
    this.#timer = setTimeout(
      () => this.#say(`not ready after ${this.#limit / 1000} s; the target goes on`),
      this.#limit,
    );
    this.#timer.unref();
    waitForEach(this.#armed, target, this.#over.signal, {
      onEarlier: (name, at) => this.#milestones.push({name, at}),
      onMet: (condition, {at}) => {
        this.#met.add(condition);
        this.#milestones.push({name: condition.name, at});
        if (this.#met.size < this.#armed.length) return;
        this.#readyAt = Math.max(at, ...this.#milestones.map((one) => one.at)) as Moment;
        clearTimeout(this.#timer);
      },
    });
  }

  /** The target has ended: what was seen, for the record. */
  finish(end: TargetEnd): ReadinessSeen {
    clearTimeout(this.#timer);
    this.#over.abort();
    if (this.#readyAt !== undefined) return {milestones: this.#milestones, readyAt: this.#readyAt, notes: []};
    const how = end.ending === 'killed' ? `by signal ${end.code}` : `with status ${end.code}`;
    if (end.ending !== 'not-started') this.#say(`the target ended ${how} before it was ready`);
    const last = this.#stderr?.last(keptLines) ?? [];
    return {
      milestones: this.#milestones,
      readyAt: undefined,
      notes: [...unmetLines(this.#armed, this.#met), ...last.map((line) => `stderr: ${line}`)],
    };
  }

  #say(text: string): void {
    const seen = unmetLines(this.#armed, this.#met).map(visible).join('; ');
    process.stderr.write(`bootcut: ${text} (${seen})\n`);
  }
}
