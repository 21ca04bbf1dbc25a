import {refusalPlan} from '../launch/compose-plan.js';
import type {Engine} from '../launch/engine.js';
import type {LaunchCourse, ReadinessSeen} from '../launch/finish.js';
import type {PreparedLaunch} from '../launch/prepare.js';
import type {LaunchRequest} from '../model/launch.js';
import type {Plan} from '../model/plan.js';
import type {ObservedLine} from '../model/step.js';
import type {Moment} from '../model/units.js';
import {encodeFrame} from '../protocol/frames.js';
import {frameType} from '../protocol/messages.js';
import {outcomeOf} from '../protocol/outcome.js';
import {encodePlan} from '../protocol/plan-codec.js';
import {encodePass, type Progress} from '../protocol/progress-codec.js';
import {buildId} from '../system/build-id.js';
import type {Clock} from '../system/clock.js';
import type {Turns} from './turns.js';

/** While a plan is made, the front hears from us this often (milliseconds); it gives up after 50 of silence. */
const heartbeat = 15;

/** Lines of one launch that are kept: a runtime's own are a dozen, a guest that imitates them is not followed for ever. */
const linesKept = 400;

/** One launch as the daemon follows it, from request to record. */
export class LaunchSession {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #send: (frame: Buffer) => void;
  #prepared: PreparedLaunch | undefined;
  #startedAt: Moment | undefined;
  readonly #firstLines: ObservedLine[] = [];
  readonly #lastLines: ObservedLine[] = [];
  #readiness: ReadinessSeen | undefined;
  #end: Pick<LaunchCourse, 'endedAt' | 'outcome' | 'doneAt'> | undefined;
  #leftAt: Moment | undefined;
  #recorded: Promise<unknown> | undefined;

  constructor(engine: Engine, clock: Clock, turns: Turns, send: (frame: Buffer) => void) {
    this.#engine = engine;
    this.#clock = clock;
    this.#turns = turns;
    this.#send = send;
  }

  /** Is there a launch whose target may be running? */
  get isRunning(): boolean {
    return this.#prepared !== undefined && this.#end === undefined;
  }

  /** Plans the launch and sends the plan, or hands the launch back. Throws only for bugs. */
  async plan(request: LaunchRequest): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    // What is warm is planned within one turn of the event loop: then no timer wakes us in the middle of the launch.
    const nextTurn = setImmediate(() => {
      timer = setInterval(() => this.#send(encodeFrame(frameType.wait)), heartbeat);
    });
    try {
      const turn = this.#turns.take();
      if (turn !== undefined) await turn;
      const prepared = await this.#engine.prepare(request, 'daemon');
      switch (prepared.kind) {
        case 'planned':
          this.#prepared = prepared;
          this.#send(encodePlan(withUntil(prepared)));
          return;
        case 'in-process':
          this.#send(encodePass('in-process'));
          return;
        case 'help':
          this.#send(encodePass('help'));
          return;
        case 'refused':
          this.#send(encodePlan(refusalPlan(prepared)));
      }
    } finally {
      clearImmediate(nextTurn);
      clearInterval(timer);
    }
  }

  /** Takes in what the front reports. */
  progress(progress: Progress): void {
    switch (progress.kind) {
      case 'started':
        this.#startedAt = progress.at;
        if (this.#prepared !== undefined) this.#engine.started(this.#prepared, progress.pid);
        return;
      case 'line':
        this.#keepLine({at: progress.at, text: progress.text});
        return;
      case 'ready':
        this.#readiness = progress;
        return;
      case 'ended':
        this.#end ??= {endedAt: progress.at, outcome: outcomeOf(progress), doneAt: progress.doneAt};
    }
  }

  /**
   * The front's end of the connection is closed. The Node front leaves that to the system, which does it at the very end of
   * the process, milliseconds after the last report: there its launch is over.
   */
  left(at: Moment): void {
    if (this.#prepared?.request.front === 'node') this.#leftAt ??= at;
  }

  /** The connection is gone. A launch that had not ended is lost, never left as running. */
  gone(): void {
    if (this.isRunning) this.#end = {endedAt: undefined, outcome: {kind: 'lost'}, doneAt: this.#clock.now()};
  }

  /** Puts the launch on record if it has ended; once, however often this is asked for. Throws only for bugs. */
  async record(): Promise<void> {
    if (this.#prepared === undefined || this.#end === undefined) return;
    this.#recorded ??= this.#engine.finish(this.#prepared, {
      startedAt: this.#startedAt,
      lines: [...this.#firstLines, ...this.#lastLines],
      readiness: this.#readiness,
      ...this.#end,
      leftAt: this.#leftAt,
      via: 'daemon',
      build: buildId,
    });
    await this.#recorded;
  }

  /** After the record: everything this launch still had going has come to an end. */
  async settled(): Promise<void> {
    if (this.#prepared !== undefined) await this.#engine.settle(this.#prepared);
  }

  /** The first lines and the last ones: between them only a guest writes. */
  #keepLine(line: ObservedLine): void {
    if (this.#firstLines.length < linesKept) this.#firstLines.push(line);
    else this.#lastLines.push(line);
    if (this.#lastLines.length > linesKept) this.#lastLines.shift();
  }
}

/** The front that starts the target watches whether it gets ready: nothing may come between the two. */
const withUntil = ({plan, launch}: PreparedLaunch): Plan => {
  const {until} = launch.options;
  return until === undefined ? plan : {...plan, until};
};
