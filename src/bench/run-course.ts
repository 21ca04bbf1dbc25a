import {toMicro} from '../model/units.js';
import type {Condition} from '../readiness/condition.js';
import {ProcessTree} from '../readiness/process-tree.js';
import {type ArmedCondition, unmetLines, waitForEach} from '../readiness/wait.js';
import {pause, type WatchedTarget} from '../readiness/watch.js';
import {systemClock} from '../system/clock.js';
import {type BenchPlan, exitMilestone, readyMilestone, type Variant} from './bench-plan.js';
import type {RunMilestone} from './result.js';
import type {StartedTarget, TargetEnd} from './run-target.js';
import type {RunTimeline} from './run-timeline.js';
import {ThreadSampler} from './samples.js';

/** How long a target that has ended is given to be heard to its end: its pipes and its timeline; in milliseconds. */
const drainLimit = 100;

/** Why a run was over. */
export type Ending = 'goals' | 'exit' | 'limit' | 'interrupted';

/** One run from its start to its end, as it was seen. */
export class RunCourse {
  readonly tree: ProcessTree;
  readonly sampler: ThreadSampler | undefined;
  readonly milestones: RunMilestone[] = [];
  readonly met = new Set<Condition>();
  end: TargetEnd | undefined;
  readonly #plan: BenchPlan;
  readonly #armed: readonly ArmedCondition[];
  readonly #target: StartedTarget;
  readonly #timeline: RunTimeline;
  readonly #over = new AbortController();
  #reached: () => void = () => undefined;

  constructor(
    plan: BenchPlan,
    armed: readonly ArmedCondition[],
    target: StartedTarget,
    timeline: RunTimeline,
    mark: string,
  ) {
    [this.#plan, this.#armed, this.#target, this.#timeline] = [plan, armed, target, timeline];
    this.tree = new ProcessTree(target.child.pid ?? 0, mark);
    this.sampler = plan.threads ? new ThreadSampler(this.tree, target.startedAt) : undefined;
  }

  /** Follows the run until its goals are reached, its target has ended, or its time is up. */
  async follow(variant: Variant, env: NodeJS.ProcessEnv, interrupted: AbortSignal): Promise<Ending> {
    const goals = new Promise<'goals'>((resolve) => {
      this.#reached = () => {
        if (this.#allReached()) resolve('goals');
      };
    });
    const signal = this.#over.signal;
    this.#timeline.follow(this.#target.startedAt, signal, ({name, at}) => {
      this.sampler?.milestone(name, at);
      this.#reached();
    });
    waitForEach(this.#armed, this.#watched(variant, env), signal, {
      onEarlier: (name, at, slack) => this.#note(name, at, {slack}),
      onMet: (condition, met) => {
        this.met.add(condition);
        this.#note(condition.name, met.at, {slack: met.slack, detail: met.detail});
        this.#reached();
      },
    });
    const ending = await Promise.race([goals, this.#untilExit(), this.#untilLimit(interrupted)]);
    this.#over.abort();
    this.sampler?.stop();
    this.#noteReady();
    return ending;
  }

  unmet(): readonly string[] {
    const wanted = this.#armed.filter(({condition}) => this.#plan.until.includes(condition));
    const lines = unmetLines(wanted, this.met);
    const {endpoint} = this.#plan;
    return this.#endpointIsTold() && !this.#has(endpoint) ? [...lines, `${endpoint}: the target never said so`] : lines;
  }

  #watched({cwd}: Variant, env: NodeJS.ProcessEnv): WatchedTarget {
    const {startedAt, stdout, stderr} = this.#target;
    return {startedAt, tree: this.tree, env, cwd, stdout, stderr, lists: () => this.#timeline.lists};
  }

  #note(name: string, at: number, rest: Pick<RunMilestone, 'slack' | 'detail'>): void {
    this.milestones.push({name, at: toMicro(at - this.#target.startedAt), source: 'outside', ...rest});
    this.sampler?.milestone(name, systemClock.now());
  }

  #has(name: string): boolean {
    return [...this.milestones, ...this.#timeline.lines].some((milestone) => milestone.name === name);
  }

  /** The endpoint is a milestone that only the target can tell. */
  #endpointIsTold(): boolean {
    const {endpoint, until, marks} = this.#plan;
    return ![exitMilestone, readyMilestone, ...[...until, ...marks].map(({name}) => name)].includes(endpoint);
  }

  #allReached(): boolean {
    const {until, endpoint} = this.#plan;
    if (endpoint === exitMilestone || !until.every((condition) => this.met.has(condition))) return false;
    return until.length > 0 && !this.#endpointIsTold() ? true : this.#has(endpoint);
  }

  /** The moment from which all conditions are met. */
  #noteReady(): void {
    const {until} = this.#plan;
    if (until.length < 2 || !until.every((condition) => this.met.has(condition))) return;
    const last = this.milestones
      .filter(({name}) => until.some((condition) => condition.name === name))
      .reduce((latest, one) => (one.at > latest.at ? one : latest));
    this.milestones.push({...last, name: readyMilestone});
  }

  /** A target that has forked itself away goes on in its descendants; the run is over when the last of them has gone. */
  async #untilExit(): Promise<Ending> {
    this.end = await this.#target.ended;
    await Promise.race([this.#target.drained, pause(drainLimit, this.#over.signal)]);
    this.#timeline.take();
    if (this.#plan.endpoint !== exitMilestone && this.end.exit === 0) {
      while (this.tree.members().length > 0 && !this.#over.signal.aborted) await pause(drainLimit, this.#over.signal);
    }
    // What was met in the very last moment has been told by now.
    await new Promise((resolve) => setImmediate(resolve));
    return 'exit';
  }

  async #untilLimit(interrupted: AbortSignal): Promise<Ending> {
    const stop = AbortSignal.any([interrupted, this.#over.signal]);
    await pause(this.#plan.limitMs, stop);
    return interrupted.aborted ? 'interrupted' : 'limit';
  }
}
