import {decodeFields, encodeFields, numberBytes, readNumber} from './fields.js';
import {encodeFrame} from './frames.js';
import {frameType, type Greeting, helloTag, magic} from './messages.js';

/** The first frame of either side. */
export const encodeGreeting = (type: 'hello' | 'welcome', greeting: Greeting): Buffer =>
  encodeFrame(
    frameType[type],
    encodeFields([
      [helloTag.magic, magic],
      [helloTag.protocol, numberBytes(greeting.protocol)],
      [helloTag.build, greeting.build],
    ]),
  );

/** Undefined when the peer is not one of ours. */
export const decodeGreeting = (payload: Buffer): Greeting | undefined => {
  const fields = decodeFields(payload);
  const find = (tag: number): Buffer | undefined => fields?.find((field) => field.tag === tag)?.value;
  const protocol = readNumber(find(helloTag.protocol) ?? Buffer.alloc(0));
  const build = find(helloTag.build)?.toString('utf8');
  if (find(helloTag.magic)?.toString('latin1') !== magic || protocol === undefined || build === undefined)
    return undefined;
  return {protocol, build};
};

/**
 * Which build is newer: version numbers first, then the time of the build. Build names look like
 * `0.1.0+1796000000.1a2b3c4d` (version, Unix time of the build in seconds, digest of the code).
 */
export const compareBuilds = (a: string, b: string): number => {
  const [left, right] = [buildParts(a), buildParts(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
};

const buildParts = (build: string): readonly number[] => {
  const [version = '', rest = ''] = build.split('+');
  const numbers = [...version.split('.').slice(0, 3), rest.split('.')[0] ?? ''];
  return numbers.map((part) => Number.parseInt(part, 10) || 0);
};
