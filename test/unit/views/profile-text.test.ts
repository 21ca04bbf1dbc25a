import {describe, test} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {profileText} from '../../../src/views/profile-text.js';
import {randomRecord, sum} from '../profile/random-record.js';
import {makeRecord, makeStep, phases, spans} from '../record/sample-record.js';

const textOf = (changes: Partial<LaunchRecord>): string => profileText(profileLaunch(makeRecord(changes)));

/** The cells of the rows of the table that has this heading first. */
const rowsOf = (text: string, head: string): readonly (readonly string[])[] => {
  const block = text.split('\n\n').find((part) => part.startsWith(`| ${head} `)) ?? '';
  return block
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '))
    .map((cells) => cells.map((cell) => cell.trim()));
};

const vm: Partial<LaunchRecord> = {
  verb: 'shell',
  target: '',
  runtime: 'agent-vm',
  temperature: 'cold',
  total: ms(4140.5),
  phases: phases([
    ['client', 0, 40],
    ['pre-boot', 40, 2270],
    ['boot', 2270, 3790],
    ['run', 3790, 4090],
    ['teardown', 4090, 4140],
  ]),
  spans: spans([
    ['planning', 40, 945],
    ['session+reap', 950, 960],
    ['gh api user', 960, 2260],
    ['create', 2270, 3790],
    ['stop', 4090, 4120],
    ['remove', 4120, 4140],
  ]),
  steps: [
    makeStep('update-check/image', 42, 942, {kind: 'check', barrier: 'none', state: 'not-waited', cost: 900}),
    makeStep('git-identity/identity', 42, 942, {
      state: 'timed-out',
      reason: 'timed-out',
      detail: 'no answer in 900 ms',
    }),
    makeStep('gh-token/token', 43, 60, {
      kind: 'secret',
      state: 'failed',
      reason: 'no-answer',
      detail: 'gh is not here',
    }),
    makeStep('github-repos/repos', 945, 945, {state: 'fresh', cost: 1317}),
  ],
  milestones: [{name: 'sandbox-running', at: ms(3790)}],
  waited: ms(903.7),
};

describe('a profile as text', () => {
  test('says at once what, how long, warm or cold, and to which point', ({expect}) => {
    expect(textOf(vm).split('\n')[0]).toBe('shell: 4,140.500 ms, cold, to the end of the command (exited 0)');
    expect(textOf({}).split('\n')[0]).toBe('run true: 100.000 ms, warm, to the end of the command (exited 0)');
  });

  test('says that a launch did not get that far', ({expect}) => {
    const failed = textOf({outcome: {kind: 'not-started', code: 127, detail: 'command not found'}});
    expect(failed).toMatch(
      /^run true: 100\.000 ms, warm, to the failed start \(not started \(127: command not found\)\)\n/,
    );
    expect(failed).toContain('until the start failed');
    expect(textOf({outcome: {kind: 'lost'}})).toMatch(/to the last sign of it \(lost\)\n/);
    expect(textOf({outcome: {kind: 'killed', signal: 9}})).toMatch(
      /to the end of the command \(killed by signal 9\)\n/,
    );
  });

  test('ends with what the cache was good for', ({expect}) => {
    expect(textOf(vm).split('\n').at(-1)).toBe('waited 904 ms for 3,117 ms of look-ups');
  });

  test('shows the rows of the published profile', ({expect}) => {
    const text = textOf(vm);
    const names = rowsOf(text, 'phase').map(([name]) => name);
    expect(names).toEqual([
      'client',
      'pre-boot',
      '· planning',
      '· session+reap',
      '· gh api user',
      '· other',
      'boot',
      '· create',
      'run',
      'teardown',
      '· stop',
      '· remove',
      'unattributed',
      'total',
    ]);
    expect(text).toContain('TOTAL pre-boot: 2,270.000 ms, from the exec of our command until boot begins');
  });

  test('has phase rows that add up to the total to the last digit shown, whatever a record says', ({expect}) => {
    const number = (text: string | undefined): number => Math.round(Number(text?.replaceAll(',', '')) * 1000);
    for (let seed = 1; seed <= 300; seed += 1) {
      const rows = rowsOf(profileText(profileLaunch(randomRecord(seed))), 'phase').filter(
        ([name]) => name?.startsWith('·') === false,
      );
      const total = rows.at(-1);
      expect(total?.[0], `seed ${seed}`).toBe('total');
      expect(sum(rows.slice(0, -1).map((row) => number(row[2]))), `seed ${seed}`).toBe(number(total?.[2]));
    }
  });

  test('shows steps with their state, and that they overlap', ({expect}) => {
    const rows = rowsOf(textOf(vm), 'step');
    expect(rows).toEqual([
      ['update-check/image', 'nothing', 'not-waited', '42.000', '900.000', '900.000', '', 'overlaps'],
      ['git-identity/identity', 'run', 'timed-out', '42.000', '900.000', '900.000', '', 'overlaps'],
      ['gh-token/token', 'run', 'failed (no-answer)', '43.000', '17.000', '17.000', '', 'overlaps'],
      ['github-repos/repos', 'run', 'fresh', '945.000', '0.000', '1,317.000', '1,317.000', ''],
    ]);
    expect(textOf(vm)).toContain('- git-identity/identity: no answer in 900 ms\n- gh-token/token: gh is not here');
  });

  test('shows milestones and the critical path', ({expect}) => {
    const text = textOf(vm);
    expect(rowsOf(text, 'milestone')).toEqual([['sandbox-running', '3,790.000', 'run']]);
    expect(text).toContain('Critical path: 3,790.000 ms, until run begins');
    expect(rowsOf(text, 'segment').map(([name]) => name)).toEqual([
      'client',
      'planning',
      'git-identity/identity',
      'planning',
      'rest of pre-boot',
      'session+reap',
      'gh api user',
      'rest of pre-boot',
      'create',
    ]);
  });

  test('shows the parts of a step below it', ({expect}) => {
    const text = textOf({steps: [makeStep('a/b', 10, 15, {spans: spans([['connect', 11, 12]])})]});
    expect(rowsOf(text, 'step')[1]).toEqual(['· connect', '', '', '11.000', '1.000', '', '', '']);
  });

  test('never hands the terminal what a plugin, a guest or a directory name put in', ({expect}) => {
    const evil = 'x\u001b]0;t\u0007\u202e\r\n| y';
    const text = textOf({
      target: evil,
      verb: evil,
      runtime: evil,
      front: evil,
      build: evil,
      cwd: evil,
      via: 'in-process',
      viaReason: evil,
      outcome: {kind: 'not-started', code: 1, detail: evil},
      notes: [evil],
      milestones: [{name: evil, at: ms(1)}],
      spans: spans([[evil, 1, 2]]),
      steps: [makeStep(evil, 1, 2, {state: 'failed', reason: evil, detail: evil, spans: spans([[evil, 1, 2]])})],
    });
    // biome-ignore lint: control characters are the point
    expect(text.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/g)).toBeNull();
    // A line that begins with the rest of the evil text would be a new one.
    expect(text.split('\n').filter((line) => line.startsWith('| y'))).toEqual([]);
    expect(text).toContain('x\\x1b]0;t\\x07\\u202e\\x0d\\x0a| y');
  });
});
