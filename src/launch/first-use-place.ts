import {existsSync, mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {PlanEdit} from '../model/plan.js';
import type {SharedLaunch} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import {installationRoot} from '../system/installation.js';
import type {Question} from './asking.js';
import {FirstUseChannel} from './first-use-channel.js';
import type {StepProgress} from './run-steps.js';

/** Steps of one launch that wait for their first use. */
export interface OpenedTriggers {
  readonly steps: readonly StepProgress[];
  /** What the target needs to come upon the triggers. */
  readonly edits: readonly PlanEdit[];
  /** The launch is over: what runs is given up. Resolves, at once, when no step runs any more. Never rejects. */
  readonly end: () => Promise<void>;
  /** Afterwards: takes the triggers away. Never rejects. */
  readonly close: () => Promise<void>;
}

/** What opening them takes. */
export interface TriggerParts {
  readonly launch: SharedLaunch;
  readonly clock: Clock;
  readonly place: FirstUsePlace;
}

export type OpenTriggers = (questions: readonly Question[], parts: TriggerParts) => Promise<OpenedTriggers>;

/** Where the triggers of one launch lie: a directory and a socket of its own, made when there is something to put there. */
export class FirstUsePlace {
  readonly #state: string | undefined;
  readonly #sockets: string | undefined;
  readonly #launch: SharedLaunch;
  #opened: Promise<OpenPlace | undefined> | undefined;

  constructor(
    {
      stateDirectory,
      socketDirectory,
    }: {readonly stateDirectory: string | undefined; readonly socketDirectory: string | undefined},
    launch: SharedLaunch,
  ) {
    this.#state = stateDirectory;
    this.#sockets = socketDirectory;
    this.#launch = launch;
  }

  /** Undefined where there is no place, or no program of ours for it. */
  async open(): Promise<OpenPlace | undefined> {
    this.#opened ??= this.#make();
    return await this.#opened;
  }

  async close(): Promise<void> {
    const opened = await this.#opened;
    opened?.channel.close();
    if (opened !== undefined) rmSync(opened.directory, {recursive: true, force: true});
  }

  async #make(): Promise<OpenPlace | undefined> {
    const program = firstUseProgram();
    if (program === undefined || this.#state === undefined || this.#sockets === undefined) return undefined;
    const directory = join(this.#state, `first-use-${process.pid}-${this.#launch.id}`);
    try {
      for (const name of ['', 'bin', 'asks']) mkdirSync(join(directory, name), {mode: 0o700});
    } catch {
      return undefined; // a full or read-only disk
    }
    const channel = await FirstUseChannel.open(this.#sockets, this.#launch.id);
    return channel === undefined ? undefined : {program, directory, channel};
  }
}

export interface OpenPlace {
  /** Our native program: a shim under another name, and the keeper of files. */
  readonly program: string;
  readonly directory: string;
  readonly channel: FirstUseChannel;
}

const programName = 'bootcut-first-use';
const packaged = join(`bootcut-launcher-${process.platform}-${process.arch}`, 'bin', programName);

/** Where the build leaves it; and the package of the platform, beside our own or below it. */
const programPlaces = [
  join(installationRoot, 'launcher', 'first-use', programName),
  join(installationRoot, '..', packaged),
  join(installationRoot, 'node_modules', packaged),
];

/** Undefined where it has not been built (no C compiler, not Linux). */
export const firstUseProgram = (): string | undefined => programPlaces.find((path) => existsSync(path));
