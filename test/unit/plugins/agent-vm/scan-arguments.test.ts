import {describe, test} from 'vitest';
import {optionFlags, scanArguments} from '../../../../plugins/agent-vm/src/scan-arguments.js';

interface Case {
  readonly why: string;
  readonly args: readonly string[];
  readonly release?: number;
  readonly given?: Readonly<Record<string, readonly string[]>>;
  /** Default: none. */
  readonly guest?: readonly string[];
  readonly help?: boolean;
}

const cases: readonly Case[] = [
  {why: 'a bare word opens the guest part', args: ['true', '--no-update-check'], guest: ['true', '--no-update-check']},
  {
    why: 'a flag before it is an option',
    args: ['--no-update-check', 'x'],
    given: {'no-update-check': ['']},
    guest: ['x'],
  },
  {
    why: 'a value option takes the next token',
    args: ['--memory', '4', 'true'],
    given: {memory: ['4']},
    guest: ['true'],
  },
  {why: 'the value of an option is no bare word', args: ['--cpus', '2'], given: {cpus: ['2']}},
  {why: 'a value may be attached', args: ['--image=a=b', 'x'], given: {image: ['a=b']}, guest: ['x']},
  {why: 'an attached value may be empty', args: ['--image=', 'x'], given: {image: ['']}, guest: ['x']},
  {why: 'an empty token is a value', args: ['--image', '', 'x'], given: {image: ['']}, guest: ['x']},
  {why: 'repeatable options add up', args: ['--repo', 'a/b', '--repo=c/d'], given: {repo: ['a/b', 'c/d']}},
  {why: '-p takes the next token', args: ['-p', '1:2', 'x'], given: {publish: ['1:2']}, guest: ['x']},
  {
    why: '--publish takes an attached one',
    args: ['--publish=8080:80', 'x'],
    given: {publish: ['8080:80']},
    guest: ['x'],
  },
  {why: "-p with a value attached is the guest's", args: ['-p8080:80', '--no-git'], guest: ['-p8080:80', '--no-git']},
  {why: "-p= is the guest's", args: ['-p=8080:80'], guest: ['-p=8080:80']},
  {why: 'a long option cut short is unknown', args: ['--mem', '4'], guest: ['--mem', '4']},
  {why: 'an unknown long option', args: ['--model', 'opus'], guest: ['--model', 'opus']},
  {why: 'an unknown short option', args: ['-c', 'true'], guest: ['-c', 'true']},
  {
    why: 'an opening -- is swallowed',
    args: ['--no-git', '--', '--no-git'],
    given: {'no-git': ['']},
    guest: ['--no-git'],
  },
  {why: "a later -- is the guest's", args: ['x', '--', 'y'], guest: ['x', '--', 'y']},
  {why: "a second -- is the guest's", args: ['--', '--', 'y'], guest: ['--', 'y']},
  {why: 'a single hyphen', args: ['-', '--no-git'], guest: ['-', '--no-git']},
  {why: 'an empty token', args: ['', '--no-git'], guest: ['', '--no-git']},
  {why: 'an unknown hyphen token is a pending value', args: ['--repo', '-x', 'y'], given: {repo: ['-x']}, guest: ['y']},
  {why: 'a single hyphen is a pending value', args: ['--mount', '-', 'y'], given: {mount: ['-']}, guest: ['y']},
  {why: 'help ends the reading', args: ['--no-git', '--help', 'x'], given: {'no-git': ['']}, help: true},
  {why: '-h is help', args: ['-h'], help: true},
  {why: "help behind a word is the guest's", args: ['x', '--help'], guest: ['x', '--help']},
  {why: 'no arguments at all', args: []},
  {
    why: 'a flag that is given a value still counts as given',
    args: ['--no-update-check=true'],
    given: {'no-update-check': ['true']},
  },
  {why: '0.1.15 knows no -p', release: 15, args: ['-p', '1:2'], guest: ['-p', '1:2']},
  {
    why: '0.1.15 knows no --publish',
    release: 15,
    args: ['--publish', '1:2', '--no-git'],
    guest: ['--publish', '1:2', '--no-git'],
  },
  {
    why: '0.1.14 knows no egress list',
    release: 14,
    args: ['--allow-egress=10.0.0.1'],
    guest: ['--allow-egress=10.0.0.1'],
  },
  {why: '0.1.17 knows --allow-lan', release: 17, args: ['--allow-lan', 'x'], given: {'allow-lan': ['']}, guest: ['x']},
  {why: '0.1.17 knows no --allow-host', release: 17, args: ['--allow-host', 'x'], guest: ['--allow-host', 'x']},
  {
    why: '0.1.18 knows --allow-host',
    release: 18,
    args: ['--allow-host', 'x'],
    given: {'allow-host': ['']},
    guest: ['x'],
  },
];

describe("the scan of a launch verb's arguments", () => {
  for (const {why, args, release = 28, given = {}, guest = [], help = false} of cases) {
    test(`${why}: ${JSON.stringify(args)}`, ({expect}) => {
      const scan = scanArguments(args, release);
      expect(Object.fromEntries(scan.given)).toEqual(given);
      expect(args.slice(scan.trailing)).toEqual(guest);
      expect(scan.help).toBe(help);
    });
  }

  test('an option without its value leaves the next option an option', ({expect}) => {
    const scan = scanArguments(['--memory', '--no-update-check', 'x'], 28);
    expect(scan.given.has('no-update-check')).toBe(true);
  });

  test('the engine is told every option of the newest release, by whether it takes a value', ({expect}) => {
    expect(optionFlags.value).toEqual([
      '--memory',
      '--cpus',
      '--repo',
      '--mount',
      '--publish',
      '-p',
      '--allow-egress',
      '--image',
    ]);
    expect(optionFlags.plain).toEqual([
      '--no-git',
      '--auto-publish',
      '--allow-lan',
      '--allow-host',
      '--no-update-check',
    ]);
  });
});
