import type {Json, Moment, PhaseMarks} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import {derivePhases} from '../../../../plugins/recipes/src/derive-phases.js';
import {recipeLaunch} from './launch.js';

const milestones = [
  {line: 'pull', name: 'pulled'},
  {line: 'Starting', name: 'starting', phase: 'boot'},
  {line: '[', has: 'ready', name: 'ready', phase: 'run'},
  {line: 'Stopping', name: 'stopping', phase: 'teardown'},
];

/** Line number n came at 10 × n ms; the launch ended at 1,000 ms. */
const marks = (lines: readonly string[], patterns: Json = milestones): PhaseMarks =>
  derivePhases(recipeLaunch({command: ['box'], milestones: patterns}), {
    startedAt: 5 as Moment,
    endedAt: 1000 as Moment,
    lines: lines.map((text, index) => ({at: ((index + 1) * 10) as Moment, text})),
    milestones: [],
  });

describe('the phases of a recipe', () => {
  test('begin where the launcher’s lines say', ({expect}) => {
    expect(marks(['pulled x', 'Starting vm', '[0.1] ready', 'Stopping vm'])).toEqual({
      bootAt: 20,
      runAt: 30,
      teardownAt: 40,
      milestones: [
        {name: 'pulled', at: 10},
        {name: 'starting', at: 20},
        {name: 'ready', at: 30},
        {name: 'stopping', at: 40},
      ],
      spans: [],
    });
  });

  test('are not claimed where none of the lines was seen', ({expect}) => {
    expect(marks([])).toEqual({milestones: [], spans: []});
    expect(marks(['something else', '[ early'])).toEqual({milestones: [], spans: []});
  });

  test('that were not reached lie at the end: a boot that fails is no run', ({expect}) => {
    expect(marks(['Starting vm', 'error'])).toMatchObject({bootAt: 10, runAt: 1000});
    expect(marks(['pulled x'])).toMatchObject({bootAt: 1000, runAt: 1000});
  });

  test('go by lines in their order only', ({expect}) => {
    expect(marks(['[0] ready', 'Starting vm', '[1] ready'])).toMatchObject({bootAt: 20, runAt: 30});
    // The boot's line did not come; the boot then began with the launcher.
    const {bootAt, runAt} = marks(['[0] ready', 'x']);
    expect({bootAt, runAt}).toEqual({bootAt: undefined, runAt: 10});
  });

  test('end with the last line that could be the launcher’s: the command writes to the same stream', ({expect}) => {
    const {teardownAt} = marks(['Starting vm', '[1] ready', 'Stopping servers', 'more', 'Stopping vm']);
    expect(teardownAt).toBe(50);
  });

  test('take patterns as plain text, whatever they hold', ({expect}) => {
    const patterns = [{line: '^(a+)+$', name: 'evil'}];
    expect(marks([`${'a'.repeat(500)}!`], patterns).milestones).toEqual([]);
    expect(marks(['^(a+)+$ there'], patterns).milestones).toEqual([{name: 'evil', at: 10}]);
  });

  test('look for `has` behind the beginning of the line, not in it', ({expect}) => {
    expect(marks(['ready'], [{line: 'ready', has: 'ready', name: 'twice'}]).milestones).toEqual([]);
  });

  test('of a recipe with faults are not claimed', ({expect}) => {
    expect(marks(['x'], 'x')).toEqual({milestones: [], spans: []});
  });
});
