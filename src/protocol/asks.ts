import * as v from 'valibot';
import type {Result} from '../model/failure.js';

/** What a command may ask the daemon. These never change between protocol versions, so that `stop` always works. */
const askSchema = v.variant('kind', [
  v.object({kind: v.literal('status')}),
  v.object({kind: v.literal('stop'), force: v.boolean()}),
  /** From a newer build: give the lock up and drain, if no launch is running. */
  v.object({kind: v.literal('retire')}),
]);

export type Ask = v.InferOutput<typeof askSchema>;

/** What the daemon says of itself. */
export interface DaemonStatus {
  readonly pid: number;
  readonly build: string;
  readonly protocol: number;
  readonly socket: string;
  /** Milliseconds. */
  readonly uptime: number;
  readonly launches: {readonly running: number; readonly served: number};
  readonly answers: {readonly keptFresh: number; readonly nextRefreshIn: number | null};
  readonly memory: {readonly rss: number};
  readonly cpu: {readonly user: number; readonly system: number};
  readonly idleExitIn: number | null;
  readonly node: string;
}

export interface Replies {
  readonly status: DaemonStatus;
  readonly stop: {readonly stopping: true};
  readonly retire: {readonly retired: boolean; readonly launches: number};
}

/** The reply to one kind of ask. */
export type Reply<K extends Ask['kind'] = Ask['kind']> = Result<Replies[K]>;

/** A received ask, or undefined when it is none. */
export const readAsk = (payload: Buffer): Ask | undefined => {
  try {
    const result = v.safeParse(askSchema, JSON.parse(payload.toString('utf8')));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
};
