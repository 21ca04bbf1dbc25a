import {readFileSync} from 'node:fs';
import {describe, it} from 'vitest';
import {frameLimit} from '../../../src/protocol/frames.js';
import {
  endings,
  frameType,
  helloTag,
  launchTag,
  planTag,
  progressTag,
  protocolVersion,
} from '../../../src/protocol/messages.js';
import {lineLimit} from '../../../src/protocol/progress-codec.js';

const source = (name: string): string => readFileSync(new URL(`../../../launcher/${name}`, import.meta.url), 'utf8');

/** `NAME = number` of the C sources, products worked out. */
const constants = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/\b([A-Z][A-Z0-9_]*) = (0x[0-9a-f]+|[\d][\d *]*)/g)].map(([, name = '', value = '']) => [
      name,
      value.split('*').reduce((product, factor) => product * Number(factor), 1),
    ]),
  );

const upper = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

describe('the launcher’s numbers', () => {
  const wire = constants(source('wire.h'));

  it.for([
    ['FRAME', frameType],
    ['HELLO', helloTag],
    ['LAUNCH', launchTag],
    ['PLAN', planTag],
    ['PROGRESS', progressTag],
  ] as const)('%s_… are those of messages.ts', ([prefix, numbers], {expect}) => {
    const commands = ['ask', 'reply', 'ready']; // of commands and the Node front: the launcher never sends them
    for (const [name, number] of Object.entries(numbers)) {
      if (!commands.includes(name)) expect([name, wire.get(`${prefix}_${upper(name)}`)]).toEqual([name, number]);
    }
  });

  it('are those of the limits, the protocol and the endings', ({expect}) => {
    expect(wire.get('PROTOCOL_VERSION')).toBe(protocolVersion);
    expect(wire.get('FRAME_LIMIT')).toBe(frameLimit);
    expect(constants(source('observe.h')).get('LINE_LIMIT')).toBe(lineLimit);
    for (const [index, ending] of endings.entries()) {
      expect(wire.get(`ENDING_${ending.replace('-', '_').toUpperCase()}`)).toBe(index);
    }
  });

  it('and its verbs are those of bin/run.js and bin/bootcut', ({expect}) => {
    const verbs = [...(/verbs\[\] = \{([^}]*)\}/.exec(source('main.c'))?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(
      ([, verb]) => verb,
    );
    const run = [...(/verbs = \[([^\]]*)\]/.exec(source('../bin/run.js'))?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
      ([, verb]) => verb,
    );
    const sh = /\n {2}(run \|[^)]*)\)/.exec(source('../bin/bootcut'))?.[1]?.split(' | ');
    expect(verbs).toEqual(run);
    expect(sh).toEqual(run);
  });
});
