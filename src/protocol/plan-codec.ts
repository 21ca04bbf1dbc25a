import {isUtf8} from 'node:buffer';
import type {ArgvPiece, EnvEdit, Plan} from '../model/plan.js';
import {type LaunchId, ms} from '../model/units.js';
import {decodeFields, encodeFields, type Field, momentBytes, numberBytes, readMoment} from './fields.js';
import {encodeFrame} from './frames.js';
import {frameType, planTag, untilTag} from './messages.js';

type Item = readonly [tag: number, value: Uint8Array | string];

export const encodePlan = (plan: Plan): Buffer =>
  encodeFrame(
    frameType.plan,
    encodeFields([
      [planTag.launchId, plan.launchId],
      ...(plan.refusal === undefined ? [] : [refusalItem(plan.refusal)]),
      ...plan.argv.map(pieceItem),
      ...plan.env.map(envItem),
      ...(plan.executable === undefined ? [] : [[planTag.executable, plan.executable] as Item]),
      ...(plan.notice === undefined ? [] : [[planTag.notice, plan.notice] as Item]),
      ...plan.observe.map((prefix): Item => [planTag.observe, prefix]),
      ...(plan.until === undefined ? [] : untilItems(plan.until)),
    ]),
  );

const pieceItem = (piece: ArgvPiece): Item =>
  piece.kind === 'literal'
    ? [planTag.literal, piece.text]
    : [planTag.keep, Buffer.concat([numberBytes(piece.from), numberBytes(piece.to)])];

const envItem = (edit: EnvEdit): Item => {
  switch (edit.kind) {
    case 'set':
      return [planTag.envSet, `${edit.name}=${edit.value}`];
    case 'prepend':
      return [planTag.envPrepend, `${edit.name}=${edit.value}`];
    case 'unset':
      return [planTag.envUnset, edit.name];
  }
};

const untilItems = ({conditions, limit}: NonNullable<Plan['until']>): readonly Item[] => [
  ...conditions.map((condition): Item => [untilTag.condition, condition]),
  [untilTag.limit, momentBytes(limit)],
];

const refusalItem = (refusal: {readonly text: string; readonly status: number}): Item => [
  planTag.refusal,
  Buffer.concat([numberBytes(refusal.status), Buffer.from(refusal.text)]),
];

/**
 * Undefined when the frame is not a whole plan: then nothing may be launched from it. Every known item must be as we write
 * it, and there must be something to launch, or a refusal; unknown items are for newer readers.
 */
export const decodePlan = (payload: Buffer): Plan | undefined => {
  const fields = decodeFields(payload);
  if (fields === undefined || !fields.every(isWhole)) return undefined;
  const all = (tag: number): readonly Buffer[] => fields.filter((field) => field.tag === tag).map(({value}) => value);
  const text = (tag: number): string | undefined => all(tag)[0]?.toString('utf8');
  const argv = fields.flatMap(readPiece);
  const [launchId, executable, notice] = [text(planTag.launchId), text(planTag.executable), text(planTag.notice)];
  const [refusal] = all(planTag.refusal);
  const [conditions, limit] = [all(untilTag.condition), readMoment(all(untilTag.limit)[0] ?? Buffer.alloc(0))];
  if (launchId === undefined || (argv.length === 0 && refusal === undefined)) return undefined;
  return {
    launchId: launchId as LaunchId,
    argv,
    env: fields.flatMap(readEnvEdit),
    observe: all(planTag.observe).map((value) => value.toString('utf8')),
    ...(executable === undefined ? {} : {executable}),
    ...(notice === undefined ? {} : {notice}),
    ...(refusal === undefined ? {} : {refusal: {status: refusal.readUInt32BE(0), text: refusal.toString('utf8', 4)}}),
    ...(limit === undefined ? {} : {until: {conditions: conditions.map(String), limit: ms(limit)}}),
  };
};

/** Texts for the system: no zero byte, and UTF-8, so that they come out as they went in. */
const isText = (value: Buffer): boolean => isUtf8(value) && !value.includes(0);

/** `NAME=value`. */
const isAssignment = (value: Buffer): boolean => isText(value) && value.indexOf('=') > 0;

const isWhole = ({tag, value}: Field): boolean => {
  switch (tag) {
    case planTag.keep:
      return value.length === 8 && value.readUInt32BE(0) < value.readUInt32BE(4);
    case planTag.envSet:
    case planTag.envPrepend:
      return isAssignment(value);
    case planTag.envUnset:
      return isText(value) && value.length > 0 && !value.includes('=');
    case planTag.executable:
      return isText(value) && value.length > 0;
    case planTag.refusal:
      return value.length >= 4 && isStatus(value.readUInt32BE(0)) && isUtf8(value.subarray(4));
    case planTag.launchId:
    case planTag.literal:
    case planTag.notice:
    case planTag.observe:
    case untilTag.condition:
      return isText(value);
    case untilTag.limit:
      return value.length === 8;
    default:
      return true;
  }
};

/** A launch that was refused has not succeeded, and a status is one byte. */
const isStatus = (status: number): boolean => status >= 1 && status <= 255;

const readPiece = ({tag, value}: Field): readonly ArgvPiece[] => {
  if (tag === planTag.literal) return [{kind: 'literal', text: value.toString('utf8')}];
  return tag === planTag.keep ? [{kind: 'keep', from: value.readUInt32BE(0), to: value.readUInt32BE(4)}] : [];
};

const readEnvEdit = ({tag, value}: Field): readonly EnvEdit[] => {
  const text = value.toString('utf8');
  if (tag === planTag.envUnset) return [{kind: 'unset', name: text}];
  if (tag !== planTag.envSet && tag !== planTag.envPrepend) return [];
  const at = text.indexOf('=');
  return [{kind: tag === planTag.envSet ? 'set' : 'prepend', name: text.slice(0, at), value: text.slice(at + 1)}];
};
