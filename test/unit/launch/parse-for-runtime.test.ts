import {describe, test} from 'vitest';
import {parseForRuntime} from '../../../src/launch/parse-for-runtime.js';

const tool = {name: 'tool', verbs: ['shell'], flags: {value: ['--image'], plain: ['--quick']}};
const qemu = {name: 'qemu', verbs: ['shell'], flags: {value: ['--net'], plain: ['--emulate']}};

const flagsOf = (...tokens: readonly string[]): unknown => {
  const parsed = parseForRuntime([tool, qemu], tokens, tool, (flags) => {
    const runtime = flags.get('runtime')?.at(-1);
    return typeof runtime === 'string' ? runtime : undefined;
  });
  return parsed.kind === 'launch' ? Object.fromEntries(parsed.flags) : parsed.kind;
};

describe('a command line of a verb that several runtimes serve', () => {
  test('may name the runtime behind that runtime’s own flags', ({expect}) => {
    expect(flagsOf('shell', '--net', 'user', '--runtime', 'qemu', '--no-cache', 'make')).toEqual({
      runtime: ['qemu'],
      'no-cache': [true],
    });
  });

  test('is read by the flags of the runtime that serves the verb when none is named', ({expect}) => {
    expect(flagsOf('shell', '--image', 'x', '--no-cache', 'make')).toEqual({'no-cache': [true]});
    // What this runtime does not know begins the command.
    expect(flagsOf('shell', '--emulate', '--no-cache')).toEqual({});
  });

  test('is read by the flags of the runtime that is named only', ({expect}) => {
    expect(flagsOf('shell', '--runtime', 'qemu', '--quick', '--no-cache')).toEqual({runtime: ['qemu']});
  });
});
