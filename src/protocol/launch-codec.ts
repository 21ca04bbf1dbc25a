import type {LaunchRequest, StdioKind} from '../model/launch.js';
import type {Moment} from '../model/units.js';
import {decodeFields, encodeFields, type Field, momentBytes, numberBytes, readMoment, readNumber} from './fields.js';
import {encodeFrame} from './frames.js';
import {frameType, launchTag} from './messages.js';

const stdioKinds: readonly StdioKind[] = ['closed', 'tty', 'pipe', 'file', 'socket', 'device'];

export const encodeLaunch = (request: LaunchRequest): Buffer =>
  encodeFrame(
    frameType.launch,
    encodeFields([
      ...request.argv.map((arg) => [launchTag.arg, arg] as const),
      ...request.env.map((item) => [launchTag.env, item] as const),
      [launchTag.cwd, request.cwd],
      [launchTag.stdio, Buffer.from(request.stdio.map((kind) => stdioKinds.indexOf(kind)))],
      [launchTag.execAt, momentBytes(request.execAt)],
      [launchTag.frontAt, momentBytes(request.frontAt)],
      [launchTag.sentAt, momentBytes(request.sentAt)],
      [launchTag.pid, numberBytes(request.pid)],
      [launchTag.front, request.front],
      [launchTag.mergedOutput, Buffer.from([request.mergedOutput ? 1 : 0])],
    ]),
  );

const noBytes = Buffer.alloc(0);

const valuesByTag = (fields: readonly Field[]): ReadonlyMap<number, readonly Buffer[]> => {
  const values = new Map<number, Buffer[]>();
  for (const {tag, value} of fields) {
    const known = values.get(tag);
    if (known === undefined) values.set(tag, [value]);
    else known.push(value);
  }
  return values;
};

/** Undefined when something needed is missing or of the wrong size. */
export const decodeLaunch = (payload: Buffer): LaunchRequest | undefined => {
  const fields = decodeFields(payload);
  if (fields === undefined) return undefined;
  const byTag = valuesByTag(fields);
  const all = (tag: number): readonly Buffer[] => byTag.get(tag) ?? [];
  const one = (tag: number): Buffer => all(tag)[0] ?? noBytes;
  const moments = [launchTag.execAt, launchTag.frontAt, launchTag.sentAt].map((tag) => readMoment(one(tag)));
  const stdio = [...one(launchTag.stdio)].map((kind) => stdioKinds[kind]);
  const pid = readNumber(one(launchTag.pid));
  const [execAt, frontAt, sentAt] = moments;
  const [stdin, stdout, stderr] = stdio;
  if (execAt === undefined || frontAt === undefined || sentAt === undefined || pid === undefined) return undefined;
  if (stdin === undefined || stdout === undefined || stderr === undefined) return undefined;
  if (all(launchTag.cwd).length === 0) return undefined;
  return {
    argv: all(launchTag.arg),
    env: all(launchTag.env),
    cwd: one(launchTag.cwd),
    stdio: [stdin, stdout, stderr],
    execAt: execAt as Moment,
    frontAt: frontAt as Moment,
    sentAt: sentAt as Moment,
    pid,
    front: one(launchTag.front).toString('utf8'),
    mergedOutput: one(launchTag.mergedOutput)[0] === 1,
  };
};
