import * as v from 'valibot';
import type {Result} from '../model/failure.js';
import {standbySchema} from './standby-spec.js';

/** What a command may ask the daemon. These never change between protocol versions, so that `stop` always works. */
const askSchema = v.variant('kind', [
  v.object({kind: v.literal('status')}),
  v.object({kind: v.literal('stop'), force: v.boolean()}),
  /** From a newer build: give the lock up and drain, if no launch is running. */
  v.object({kind: v.literal('retire')}),
  /** From a reader of records: answers when every launch that has ended by now is on record. */
  v.object({kind: v.literal('settle')}),
  v.object({kind: v.literal('standby-list')}),
  /** Answers when it is ready, or when there will be none. */
  v.object({kind: v.literal('standby-start'), standby: standbySchema}),
  /** Without a place: all. */
  v.object({kind: v.literal('standby-drop'), place: v.optional(v.string())}),
  /** Somebody has entered this directory: what was launched there last is expected. */
  v.object({kind: v.literal('entered'), directory: v.string()}),
]);

export type Ask = v.InferOutput<typeof askSchema>;

const count = v.pipe(v.number(), v.finite());

/** A field that comes after the first release is optional: an older daemon does not send it. */
const status = v.object({
  pid: count,
  build: v.string(),
  protocol: count,
  socket: v.string(),
  /** Milliseconds. */
  uptime: count,
  /** Milliseconds from the start of the process until it listened, and until it could plan a launch (its plugins loaded). */
  ready: v.object({listening: count, planning: v.nullable(count)}),
  launches: v.object({running: count, served: count}),
  answers: v.object({keptFresh: count, nextRefreshIn: v.nullable(count)}),
  memory: v.object({rss: count}),
  cpu: v.object({user: count, system: count}),
  idleExitIn: v.nullable(count),
  node: v.string(),
});

const standbyState = v.object({
  place: v.string(),
  state: v.picklist(['booting', 'ready', 'taken']),
  pid: count,
  form: v.nullable(v.string()),
  memoryKb: v.nullable(count),
  bootMs: v.nullable(count),
  ageMs: count,
  /** How many of this place have been ready, and how many of them a launch has taken. */
  ready: count,
  used: count,
});

/** One standby as `bootcut standby list` shows it. */
export type StandbyState = Readonly<v.InferOutput<typeof standbyState>>;

const values = {
  status,
  stop: v.object({stopping: v.literal(true)}),
  retire: v.object({retired: v.boolean(), launches: count}),
  settle: v.object({settled: v.literal(true)}),
  'standby-list': v.object({standbys: v.array(standbyState)}),
  // Which form it has; absent in the answer of an older daemon.
  'standby-start': v.object({started: v.literal(true), form: v.optional(v.picklist(['paused', 'saved']))}),
  'standby-drop': v.object({dropped: count}),
  entered: v.object({expected: count}),
} as const;

/** What the daemon says of itself. */
export type DaemonStatus = Readonly<v.InferOutput<typeof status>>;

export type Replies = {readonly [K in Ask['kind']]: v.InferOutput<(typeof values)[K]>};

/** The reply to one kind of ask. */
export type Reply<K extends Ask['kind'] = Ask['kind']> = Result<Replies[K]>;

/** Why a daemon of ours may decline; anything else it says is not understood. */
const refusal = v.object({
  ok: v.literal(false),
  failure: v.variant('reason', [
    v.object({reason: v.literal('daemon-busy'), launches: count}),
    v.object({reason: v.literal('bad-argument'), detail: v.string()}),
    v.object({reason: v.literal('no-standby'), detail: v.string()}),
    v.object({reason: v.literal('internal-error'), detail: v.string()}),
  ]),
});

/** A received reply, or undefined when it is none: the other side may be of any build, or not ours at all. */
export const readReply = <K extends Ask['kind']>(kind: K, payload: Buffer): Reply<K> | undefined => {
  const schema = v.union([v.object({ok: v.literal(true), value: values[kind]}), refusal]);
  try {
    const result = v.safeParse(schema, JSON.parse(payload.toString('utf8')));
    return result.success ? (result.output as Reply<K>) : undefined;
  } catch {
    return undefined;
  }
};

/** A received ask, or undefined when it is none. */
export const readAsk = (payload: Buffer): Ask | undefined => {
  try {
    const result = v.safeParse(askSchema, JSON.parse(payload.toString('utf8')));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
};
