import type {Moment} from '../model/units.js';
import {decodeFields, encodeFields, momentBytes, numberBytes, readMoment, readNumber} from './fields.js';
import {encodeFrame} from './frames.js';
import {type EndingKind, endings, frameType, type PassReason, passReasons, progressTag} from './messages.js';

/** What a front reports while a launch goes on. */
export type Progress =
  | {readonly kind: 'started'; readonly at: Moment; readonly pid: number}
  | {readonly kind: 'line'; readonly at: Moment; readonly text: string}
  /** `code`: exit status, signal number, or errno, by `ending`. */
  | {readonly kind: 'ended'; readonly at: Moment; readonly ending: EndingKind; readonly code: number};

/** Longest reported piece of a stderr line, in bytes: a runtime's own lines are short. */
export const lineLimit = 512;

export const encodeProgress = (progress: Progress): Buffer => {
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
        ]),
      );
  }
};

/** Undefined for frames of another kind and for broken ones. */
export const decodeProgress = (type: number, payload: Buffer): Progress | undefined => {
  const fields = decodeFields(payload);
  const find = (tag: number): Buffer => fields?.find((field) => field.tag === tag)?.value ?? Buffer.alloc(0);
  const at = readMoment(find(progressTag.at)) as Moment | undefined;
  if (at === undefined) return undefined;
  if (type === frameType.line) return {kind: 'line', at, text: find(progressTag.text).toString('utf8')};
  const [pid, code, ending] = [
    readNumber(find(progressTag.pid)),
    readNumber(find(progressTag.code)),
    endings[find(progressTag.ending)[0] ?? -1],
  ];
  if (type === frameType.started && pid !== undefined) return {kind: 'started', at, pid};
  if (type === frameType.ended && code !== undefined && ending !== undefined) return {kind: 'ended', at, ending, code};
  return undefined;
};

/** The daemon leaves the launch to its front. */
export const encodePass = (reason: PassReason): Buffer =>
  encodeFrame(frameType.pass, Buffer.from([passReasons.indexOf(reason)]));

export const decodePass = (payload: Buffer): PassReason => passReasons[payload[0] ?? -1] ?? 'failed';
