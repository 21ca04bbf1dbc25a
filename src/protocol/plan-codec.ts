import type {ArgvPiece, EnvEdit, Plan} from '../model/plan.js';
import type {LaunchId} from '../model/units.js';
import {decodeFields, encodeFields, type Field, numberBytes, readNumber} from './fields.js';
import {encodeFrame} from './frames.js';
import {frameType, planTag} from './messages.js';

type Item = readonly [tag: number, value: Uint8Array | string];

export const encodePlan = (plan: Plan): Buffer =>
  encodeFrame(
    frameType.plan,
    encodeFields([
      [planTag.launchId, plan.launchId],
      ...plan.argv.map(pieceItem),
      ...plan.env.map(envItem),
      ...(plan.executable === undefined ? [] : [[planTag.executable, plan.executable] as Item]),
      ...(plan.notice === undefined ? [] : [[planTag.notice, plan.notice] as Item]),
      ...plan.observe.map((prefix): Item => [planTag.observe, prefix]),
      ...(plan.refusal === undefined ? [] : [refusalItem(plan.refusal)]),
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

const refusalItem = (refusal: {readonly text: string; readonly status: number}): Item => [
  planTag.refusal,
  Buffer.concat([numberBytes(refusal.status), Buffer.from(refusal.text)]),
];

/** Undefined when the frame is not a whole plan: then nothing may be launched from it. */
export const decodePlan = (payload: Buffer): Plan | undefined => {
  const fields = decodeFields(payload);
  if (fields === undefined) return undefined;
  const argv = fields.map(readPiece).filter((piece) => piece !== undefined);
  if (argv.includes('broken')) return undefined;
  const text = (tag: number): string | undefined => fields.find((field) => field.tag === tag)?.value.toString('utf8');
  const launchId = text(planTag.launchId);
  if (launchId === undefined) return undefined;
  const [executable, notice] = [text(planTag.executable), text(planTag.notice)];
  const refusal = fields.find(({tag}) => tag === planTag.refusal)?.value;
  return {
    launchId: launchId as LaunchId,
    argv: argv.filter((piece) => piece !== 'broken'),
    env: fields.flatMap(readEnvEdit),
    observe: fields.filter(({tag}) => tag === planTag.observe).map(({value}) => value.toString('utf8')),
    ...(executable === undefined ? {} : {executable}),
    ...(notice === undefined ? {} : {notice}),
    ...(refusal === undefined
      ? {}
      : {refusal: {status: readNumber(refusal.subarray(0, 4)) ?? 1, text: refusal.toString('utf8', 4)}}),
  };
};

const readPiece = ({tag, value}: Field): ArgvPiece | 'broken' | undefined => {
  if (tag === planTag.literal) return {kind: 'literal', text: value.toString('utf8')};
  if (tag !== planTag.keep) return undefined;
  const [from, to] = [readNumber(value.subarray(0, 4)), readNumber(value.subarray(4))];
  return from === undefined || to === undefined || from > to ? 'broken' : {kind: 'keep', from, to};
};

const readEnvEdit = ({tag, value}: Field): readonly EnvEdit[] => {
  const text = value.toString('utf8');
  const at = text.indexOf('=');
  if (tag === planTag.envUnset) return [{kind: 'unset', name: text}];
  if (at < 1) return [];
  const [name, rest] = [text.slice(0, at), text.slice(at + 1)];
  if (tag === planTag.envSet) return [{kind: 'set', name, value: rest}];
  return tag === planTag.envPrepend ? [{kind: 'prepend', name, value: rest}] : [];
};
