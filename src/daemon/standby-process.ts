import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync, unlinkSync} from 'node:fs';
import {createInterface} from 'node:readline';
import * as v from 'valibot';
import type {StandbySpec} from '../model/plan.js';

/** It waits in memory, stopped; or it is written down, and a launch goes on from that. */
export type StandbyForm = 'paused' | 'saved';

/** What a standby says of itself when a launch could have it. */
export interface StandbyFigures {
  /** How it waits: `paused` or `saved`. */
  readonly form: string;
  /** Resident memory, KiB. */
  readonly memoryKb: number;
  /** From its start until it was ready, milliseconds. */
  readonly bootMs: number;
}

const figuresSchema = v.object({form: v.string(), rss: v.number(), boot: v.number()});

/** How long a standby that was told to leave may take before it is killed, in milliseconds. */
const leaveLimit = 2000;

/**
 * One target that was booted ahead of need, in a process of its own. It leaves when its stdin ends, so nothing of it
 * outlives the daemon; once a launch has taken it, it is that launch's.
 */
export class StandbyProcess {
  readonly spec: StandbySpec;
  readonly socket: string;
  readonly #child: ChildProcess;
  #figures: StandbyFigures | undefined;
  readonly #closed: Promise<void>;
  #hasEnded = false;
  /** Settles when it can be had: true, or when it has ended without: false. */
  readonly ready: Promise<boolean>;
  readonly ended: Promise<void>;

  /** `errors` takes what it writes to stderr. */
  constructor(spec: StandbySpec, socket: string, errors: number | 'ignore', form: StandbyForm = 'paused') {
    this.spec = spec;
    this.socket = socket;
    const [file = '', ...args] = spec.command.map((item) =>
      item === '{socket}' ? socket : item === '{form}' ? form : item,
    );
    // A group of its own: what is typed at the terminal that started the daemon is nothing to it.
    this.#child = spawn(file, args, {env: spec.env, cwd: '/', stdio: ['pipe', 'pipe', errors], detached: true});
    this.#child.stdin?.on('error', () => undefined); // it has ended
    this.#child.unref();
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true;
        this.#removeSocket(); // one that was killed could not
        resolve();
      };
      this.#child.once('error', end);
      this.#child.once('exit', end);
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once('error', () => resolve());
      this.#child.once('close', () => resolve());
    });
    this.ready = this.#awaitReady();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get figures(): StandbyFigures | undefined {
    return this.#figures;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Nobody has come for it: the first thing a standby does for a launch is to take its address away. */
  get isFree(): boolean {
    return this.#figures !== undefined && !this.#hasEnded && existsSync(this.socket);
  }

  /** Ends it, by force if it does not listen; one that a launch has taken is left to that launch. */
  async drop(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#figures !== undefined && !this.isFree) return;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), leaveLimit);
    await this.ended;
    clearTimeout(timer);
  }

  #removeSocket(): void {
    try {
      unlinkSync(this.socket);
    } catch {
      // it has taken its address with it
    }
  }

  async #awaitReady(): Promise<boolean> {
    const {stdout} = this.#child;
    if (stdout === null) return false;
    const lines = createInterface({input: stdout});
    const said = new Promise<boolean>((resolve) => {
      let isNext = false;
      lines.on('line', (line) => {
        if (isNext && this.#figures === undefined) {
          this.#figures = readFigures(line);
          resolve(true);
        }
        isNext ||= line === 'ready';
      });
    });
    // Not the exit: what it said last may still be under way then.
    return await Promise.race([said, this.#closed.then(() => false)]);
  }
}

const readFigures = (text: string): StandbyFigures => {
  try {
    const read = v.safeParse(figuresSchema, JSON.parse(text));
    if (read.success) return {form: read.output.form, memoryKb: read.output.rss, bootMs: read.output.boot};
  } catch {
    // it is there all the same
  }
  return {form: 'unknown', memoryKb: 0, bootMs: 0};
};
