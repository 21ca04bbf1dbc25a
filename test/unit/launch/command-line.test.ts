import {describe, it} from 'vitest';
import {type CommandLine, parseCommandLine} from '../../../src/launch/command-line.js';

/** A tool as agent-vm is one: flags before the command, some with values; verbs of its own. */
const flags = {value: ['--repo', '-m'], plain: ['--net', '-v']};
const verbs = ['agent-vm', 'shell', 'claude', 'setup'];

const parse = (...tokens: readonly string[]): CommandLine =>
  parseCommandLine(tokens, tokens[0] === 'run' ? {value: [], plain: []} : flags, verbs);

/** The target's argument list as it comes out, with our flags. */
const target = (...tokens: readonly string[]): unknown => {
  const parsed = parse(...tokens);
  if (parsed.kind !== 'launch') return parsed;
  return {argv: parsed.kept.map((position) => tokens[position]), flags: Object.fromEntries(parsed.flags)};
};

const odd = ['', 'a b', '$HOME', 'x;y', '*', '\n', '--help', '--version', '--json', '--no-cache', '--', '--', 'ü'];

describe('run', () => {
  const cases: readonly (readonly [readonly string[], readonly string[], Readonly<Record<string, unknown>>])[] = [
    [['make', 'test'], ['make', 'test'], {}],
    [['--', 'make', 'test'], ['make', 'test'], {}],
    [['--no-cache', 'make'], ['make'], {'no-cache': [true]}],
    [['--budget', '1s', '--', 'make'], ['make'], {budget: ['1s']}],
    [['--budget=1s', 'make'], ['make'], {budget: ['1s']}],
    [['--budget=', 'make'], ['make'], {budget: ['']}],
    [['--with=a=b', 'make'], ['make'], {with: ['a=b']}],
    [['--with', 'a', '--with', 'b', 'make'], ['make'], {with: ['a', 'b']}],
    [['make', '--no-cache'], ['make', '--no-cache'], {}],
    [['make', '--', 'x'], ['make', '--', 'x'], {}],
    [['make', '--help'], ['make', '--help'], {}],
    [['make', '-h'], ['make', '-h'], {}],
    [['--', '--help'], ['--help'], {}],
    [['--', '--no-cache'], ['--no-cache'], {}],
    [['--', '--'], ['--'], {}],
    [['--', '--', 'x'], ['--', 'x'], {}],
    [['--', 'run'], ['run'], {}],
    [['run', '--no-cache'], ['run', '--no-cache'], {}],
    [['help'], ['help'], {}],
    [['--', ''], [''], {}],
    [[''], [''], {}],
    [['-'], ['-'], {}],
    [['--', 'child', ...odd], ['child', ...odd], {}],
    [['child', ...odd], ['child', ...odd], {}],
  ];
  for (const [tokens, argv, given] of cases) {
    it(`${JSON.stringify(tokens)} runs ${JSON.stringify(argv)}`, ({expect}) => {
      expect(target('run', ...tokens)).toEqual({argv, flags: given});
    });
  }

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /no command given/],
    [['--'], /no command given/],
    [['--verbose'], /no command given/],
    [['--verbose', '--'], /no command given/],
    [['--unknown', 'make'], /there is no flag --unknown; put --/],
    [['-x', 'make'], /there is no flag -x/],
    [['--budget'], /--budget needs a value/],
    [['--budget', '--', 'make'], /--budget needs a value/],
    [['--no-cache=1', 'make'], /--no-cache takes no value/],
    [['--repo', 'o/r', 'make'], /there is no flag --repo/],
  ];
  for (const [tokens, text] of refused) {
    it(`${JSON.stringify(tokens)} is refused`, ({expect}) => {
      expect(target('run', ...tokens)).toEqual({kind: 'usage', text: expect.stringMatching(text)});
    });
  }

  for (const tokens of [['--help'], ['-h'], ['--no-cache', '--help'], ['--help', 'make']]) {
    it(`${JSON.stringify(tokens)} is our help`, ({expect}) => {
      expect(parse('run', ...tokens)).toEqual({kind: 'help', verb: 'run'});
    });
  }
});

describe('a verb of the wrapped tool', () => {
  const cases: readonly (readonly [readonly string[], readonly string[], Readonly<Record<string, unknown>>])[] = [
    [['shell'], ['shell'], {}],
    [['shell', '--no-cache'], ['shell'], {'no-cache': [true]}],
    [['shell', '--', '-c', 'true'], ['shell', '--', '-c', 'true'], {}],
    [['shell', '--no-cache', '--', '-c', '--no-cache'], ['shell', '--', '-c', '--no-cache'], {'no-cache': [true]}],
    [['shell', '--net', '--no-cache', 'x'], ['shell', '--net', 'x'], {'no-cache': [true]}],
    [['shell', '--repo', 'o/r', '--verbose', 'x'], ['shell', '--repo', 'o/r', 'x'], {verbose: [true]}],
    [['shell', '--repo', '--no-cache', 'x'], ['shell', '--repo', '--no-cache', 'x'], {}],
    [['shell', '--repo=o/r', '--verbose'], ['shell', '--repo=o/r'], {verbose: [true]}],
    [['shell', '--repo'], ['shell', '--repo'], {}],
    [['shell', '--strange', '--no-cache'], ['shell', '--strange', '--no-cache'], {}],
    [['claude', 'fix it', '--verbose'], ['claude', 'fix it', '--verbose'], {}],
    [['shell', '--', '--help'], ['shell', '--', '--help'], {}],
    [['shell', ...['--', ...odd]], ['shell', '--', ...odd], {}],
    [['agent-vm', '--help'], ['agent-vm', '--help'], {}],
    [['agent-vm', 'shell', '--help'], ['agent-vm', 'shell', '--help'], {}],
    [
      ['agent-vm', '--no-cache', 'shell', '--verbose', '--', 'x'],
      ['agent-vm', 'shell', '--', 'x'],
      {'no-cache': [true], verbose: [true]},
    ],
    [['agent-vm', 'unknown', '--no-cache'], ['agent-vm', 'unknown', '--no-cache'], {}],
    [['setup', '--help'], ['setup', '--help'], {}],
  ];
  for (const [tokens, argv, given] of cases) {
    it(`${JSON.stringify(tokens)} hands on ${JSON.stringify(argv)}`, ({expect}) => {
      expect(target(...tokens)).toEqual({argv, flags: given});
    });
  }

  it('with --help before anything foreign is our help', ({expect}) => {
    expect(parse('shell', '--help')).toEqual({kind: 'help', verb: 'shell'});
    expect(parse('shell', '--net', '-h')).toEqual({kind: 'help', verb: 'shell'});
  });
});

it('no token of the target is ever lost, doubled or moved', ({expect}) => {
  const words = ['', '--', '--no-cache', '--budget', '1s', '--repo', 'o/r', '--help', '-c', 'x'];
  for (const verb of ['run', 'shell', 'agent-vm']) {
    for (let code = 0; code < 10_000; code += 7) {
      const tokens = [verb, ...[...String(code).padStart(4, '0')].map((digit) => words[Number(digit)] ?? '')];
      const parsed = parse(...tokens);
      if (parsed.kind !== 'launch') continue;
      expect([...parsed.kept].sort((a, b) => a - b)).toEqual(parsed.kept);
      expect(new Set(parsed.kept).size).toBe(parsed.kept.length);
      const ours = [...parsed.flags.values()].flat().length;
      expect(parsed.kept.length).toBeGreaterThanOrEqual(tokens.length - 2 * ours - 2);
    }
  }
});
