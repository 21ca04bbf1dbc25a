import type {Moment} from '../model/units.js';
import {decodeFields, encodeFields, momentBytes, numberBytes, readMoment, readNumber} from './fields.js';
import {encodeFrame} from './frames.js';
import {type EndingKind, endings, frameType, type PassReason, passReasons, progressTag, readyTag} from './messages.js';

/** What a front reports while a launch goes on. */
export type Progress =
  | {readonly kind: 'started'; readonly at: Moment; readonly pid: number}
  | {readonly kind: 'line'; readonly at: Moment; readonly text: string}
  | ReadyProgress
  | EndedProgress;

/** What a front saw of the readiness that its plan told it to watch; ahead of the last report. */
export interface ReadyProgress {
  readonly kind: 'ready';
  /** Conditions that came true, in the order of time. */
  readonly milestones: readonly {readonly name: string; readonly at: Moment}[];
  /** From then on all of them were; undefined where it never was ready. */
  readonly readyAt: Moment | undefined;
  /** Why it never was, a line each. */
  readonly notes: readonly string[];
}

/** The last report. The front waits for no word on it: it leaves, and readers of records ask the daemon to settle. */
export interface EndedProgress {
  readonly kind: 'ended';
  /** The end of the target. */
  readonly at: Moment;
  readonly ending: EndingKind;
  /** Exit status, signal number, or what a shell says of a command it cannot start, by `ending`. */
  readonly code: number;
  /** The front has nothing left to do but to end as the target did. */
  readonly doneAt: Moment;
}

/** Longest reported piece of a stderr line, in bytes: a runtime's own lines are short. */
export const lineLimit = 512;

export const encodeProgress = (progress: Progress): Buffer => {
  if (progress.kind === 'ready') return encodeReady(progress);
  const at = [progressTag.at, momentBytes(progress.at)] as const;
  switch (progress.kind) {
    case 'started':
      return encodeFrame(frameType.started, encodeFields([at, [progressTag.pid, numberBytes(progress.pid)]]));
    case 'line':
      return encodeFrame(frameType.line, encodeFields([at, [progressTag.text, progress.text]]));
    case 'ended':
      return encodeFrame(
        frameType.ended,
        encodeFields([
          at,
          [progressTag.ending, Buffer.from([endings.indexOf(progress.ending)])],
          [progressTag.code, numberBytes(progress.code)],
          [progressTag.doneAt, momentBytes(progress.doneAt)],
        ]),
      );
  }
};

const encodeReady = ({milestones, readyAt, notes}: ReadyProgress): Buffer =>
  encodeFrame(
    frameType.ready,
    encodeFields([
      ...(readyAt === undefined ? [] : [[readyTag.at, momentBytes(readyAt)] as const]),
      ...milestones.map(
        ({name, at}) => [readyTag.milestone, Buffer.concat([momentBytes(at), Buffer.from(name)])] as const,
      ),
      ...notes.map((note) => [readyTag.note, note] as const),
    ]),
  );

const decodeReady = (payload: Buffer): ReadyProgress | undefined => {
  const fields = decodeFields(payload);
  if (fields === undefined) return undefined;
  const all = (tag: number): readonly Buffer[] => fields.filter((field) => field.tag === tag).map(({value}) => value);
  return {
    kind: 'ready',
    readyAt: readMoment(all(readyTag.at)[0] ?? Buffer.alloc(0)) as Moment | undefined,
    milestones: all(readyTag.milestone).flatMap((value) => {
      const at = readMoment(value.subarray(0, 8)) as Moment | undefined;
      return at === undefined ? [] : [{at, name: value.toString('utf8', 8)}];
    }),
    notes: all(readyTag.note).map(String),
  };
};

/** Undefined for frames of another kind and for broken ones. */
export const decodeProgress = (type: number, payload: Buffer): Progress | undefined => {
  if (type === frameType.ready) return decodeReady(payload);
  const fields = decodeFields(payload);
  const find = (tag: number): Buffer => fields?.find((field) => field.tag === tag)?.value ?? Buffer.alloc(0);
  const at = readMoment(find(progressTag.at)) as Moment | undefined;
  if (at === undefined) return undefined;
  if (type === frameType.line) return {kind: 'line', at, text: find(progressTag.text).toString('utf8')};
  if (type === frameType.started) {
    const pid = readNumber(find(progressTag.pid));
    return pid === undefined ? undefined : {kind: 'started', at, pid};
  }
  const ending = endings[find(progressTag.ending)[0] ?? -1];
  const code = readNumber(find(progressTag.code));
  const doneAt = readMoment(find(progressTag.doneAt)) as Moment | undefined;
  if (type !== frameType.ended || ending === undefined || code === undefined || doneAt === undefined) return undefined;
  return {kind: 'ended', at, ending, code, doneAt};
};

/** The daemon leaves the launch to its front. */
export const encodePass = (reason: PassReason): Buffer =>
  encodeFrame(frameType.pass, Buffer.from([passReasons.indexOf(reason)]));

export const decodePass = (payload: Buffer): PassReason => passReasons[payload[0] ?? -1] ?? 'failed';
