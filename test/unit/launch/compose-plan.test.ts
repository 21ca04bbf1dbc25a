import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {composePlan, refusalPlan, writePlanFiles} from '../../../src/launch/compose-plan.js';
import {checkEdits} from '../../../src/launch/edit-shape.js';
import type {Plan, PlanEdit} from '../../../src/model/plan.js';
import type {LaunchId} from '../../../src/model/units.js';
import {decodePlan, encodePlan} from '../../../src/protocol/plan-codec.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const compose = (
  edits: readonly PlanEdit[],
  more: {kept?: readonly number[]; notices?: readonly string[]; observe?: boolean} = {},
): Plan =>
  composePlan({
    launchId: 'x' as LaunchId,
    kept: more.kept ?? [0, 1, 2],
    edits,
    notices: more.notices ?? [],
    observe: more.observe ?? true,
  });

/** The argument list that comes of a plan for this command line. */
const argvOf = (plan: Plan, given: readonly string[]): readonly string[] =>
  plan.argv.flatMap((piece) => (piece.kind === 'literal' ? [piece.text] : given.slice(piece.from, piece.to)));

describe('a composed plan', () => {
  it('keeps the argument list in as few pieces as there are gaps', ({expect}) => {
    expect(compose([], {kept: [0, 1, 2, 5, 6]}).argv).toEqual([
      {kind: 'keep', from: 0, to: 3},
      {kind: 'keep', from: 5, to: 7},
    ]);
  });

  it('inserts where it is told, in the order it is told, and puts prefixes in front', ({expect}) => {
    const plan = compose([
      {kind: 'insert-args', at: 1, args: ['b1', '']},
      {kind: 'insert-args', at: 1, args: ['b2']},
      {kind: 'insert-args', at: 0, args: ['a']},
      {kind: 'insert-args', at: 3, args: ['end']},
      {kind: 'prefix-args', args: ['tool']},
    ]);
    expect(argvOf(plan, ['x', 'y', 'z'])).toEqual(['tool', 'a', 'x', 'b1', '', 'b2', 'y', 'z', 'end']);
  });

  it('takes items away by their places in what was given, whatever is inserted', ({expect}) => {
    const plan = compose([
      {kind: 'insert-args', at: 0, args: ['a']},
      {kind: 'remove-args', at: 0, count: 2},
      {kind: 'remove-args', at: 2, count: 9},
      {kind: 'insert-args', at: 3, args: ['end']},
    ]);
    expect(argvOf(plan, ['x', 'y', 'z'])).toEqual(['a', 'end']);
    expect(compose([{kind: 'remove-args', at: 1, count: 1}], {kept: [0, 3, 4]}).argv).toEqual([
      {kind: 'keep', from: 0, to: 1},
      {kind: 'keep', from: 4, to: 5},
    ]);
  });

  it('takes the last executable and the last refusal', ({expect}) => {
    const plan = compose([
      {kind: 'executable', path: '/a'},
      {kind: 'executable', path: '/b'},
      {kind: 'refuse', text: 'first', status: 2},
      {kind: 'refuse', text: 'last', status: 3},
    ]);
    expect(plan).toMatchObject({executable: '/b', refusal: {text: 'last\n', status: 3}});
  });

  it('observes nothing where that is not wanted, and each prefix once where it is', ({expect}) => {
    const edits: readonly PlanEdit[] = [
      {kind: 'observe-stderr', prefixes: ['a', 'b']},
      {kind: 'observe-stderr', prefixes: ['a']},
    ];
    expect(compose(edits).observe).toEqual(['a', 'b']);
    expect(compose(edits, {observe: false}).observe).toEqual([]);
  });

  it('hands a terminal nothing but text, a line each', ({expect}) => {
    const plan = compose([{kind: 'refuse', text: 'a\u001b[2J\n\nb\u202e', status: 1}], {
      notices: ['x\ry', 'two\nlines\n'],
    });
    expect(plan.notice).toBe('x\\x0dy\ntwo\nlines\n');
    expect(plan.refusal?.text).toBe('a\\x1b[2J\nb\\u202e\n');
    expect(refusalPlan({text: 'no\u0007', status: 2}).refusal).toEqual({text: 'no\\x07\n', status: 2});
  });

  it('survives the socket, with every edit that is let through', ({expect}) => {
    const {edits} = checkEdits([
      {kind: 'insert-args', at: 1, args: ['', 'ü🚀', '\n', 'a=b']},
      {kind: 'set-env', name: 'A', value: '=x=\n'},
      {kind: 'unset-env', name: 'B'},
      {kind: 'prepend-path', name: 'PATH', value: '/x:y'},
      {kind: 'executable', path: '/bin/ü'},
      {kind: 'observe-stderr', prefixes: ['', '==>']},
    ]);
    const plan = compose(edits, {notices: ['n']});
    expect(decodePlan(encodePlan(plan).subarray(5))).toEqual(plan);
    const refused = refusalPlan({text: 'no', status: 125});
    expect(decodePlan(encodePlan(refused).subarray(5))).toEqual(refused);
  });
});

describe('an edit', () => {
  const broken: readonly unknown[] = [
    null,
    'x',
    {},
    {kind: 'format-disk'},
    {kind: 'set-env', name: 'A'},
    {kind: 'set-env', name: 'A=B', value: ''},
    {kind: 'set-env', name: '', value: ''},
    {kind: 'set-env', name: '1A', value: ''},
    {kind: 'set-env', name: 'A', value: 'a\0b'},
    {kind: 'set-env', name: 'A', value: 'half \ud83d'},
    {kind: 'set-env', name: 'A', value: 5},
    {kind: 'insert-args', at: -1, args: []},
    {kind: 'insert-args', at: 0.5, args: []},
    {kind: 'insert-args', at: 0, args: ['a\0']},
    {kind: 'insert-args', at: 0, args: 'x'},
    {kind: 'executable', path: 'relative'},
    {kind: 'executable', path: '/a\0'},
    {kind: 'write-file', path: 'relative', text: ''},
    {kind: 'write-file', path: '/x', text: '', mode: 0o4755},
    {kind: 'refuse', text: 'x', status: 0},
    {kind: 'refuse', text: 'x', status: 256},
    {kind: 'refuse', text: 'x', status: -1},
  ];
  for (const edit of broken) {
    it(`${JSON.stringify(edit)} is none, and costs only itself`, ({expect}) => {
      const good = {kind: 'unset-env', name: 'A'};
      expect(checkEdits([edit, good])).toEqual({edits: [good], broken: 1});
    });
  }

  it('that the kernel would not take is none: too long, too many, or too much of them together', ({expect}) => {
    const good = {kind: 'set-env', name: 'A', value: 'ü'.repeat(32_768)};
    const long = {kind: 'set-env', name: 'B', value: 'x'.repeat(32_769)};
    const argument = {kind: 'insert-args', at: 0, args: ['ok', 'x'.repeat(200_000)]};
    expect(checkEdits([good, long, argument])).toEqual({edits: [good], broken: 2});
    const many = Array.from({length: 100_000}, (_, index) => ({kind: 'set-env', name: `X${index}`, value: ''}));
    expect(checkEdits(many)).toEqual({edits: many.slice(0, 1000), broken: 99_000});
    const much = Array.from({length: 30}, (_, index) => ({
      kind: 'set-env',
      name: `X${index}`,
      value: 'x'.repeat(30_000),
    }));
    expect(checkEdits(much).edits).toEqual(much.slice(0, 4));
    expect(checkEdits([{kind: 'notice', text: 'x'.repeat(1_000_000)}])).toEqual({edits: [], broken: 1});
  });

  it('list that is none is one broken thing, and no list at all is nothing', ({expect}) => {
    expect(checkEdits('x')).toEqual({edits: [], broken: 1});
    for (const nothing of [undefined, null, []]) expect(checkEdits(nothing)).toEqual({edits: [], broken: 0});
  });
});

describe('files of a plan', () => {
  it('are written whole, with their mode, below directories that are made', async ({expect}) => {
    const directory = await temporaryDirectory('files');
    const path = join(directory, 'a', 'b', 'file');
    expect(writePlanFiles([{kind: 'write-file', path, text: 'ü'}])).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('ü');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'a')).mode & 0o777).toBe(0o700);
    writePlanFiles([{kind: 'write-file', path, text: 'x', mode: 0o755}]);
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(directory, 'a', 'b'))).toEqual(['file']);
  });

  it('replace a link instead of writing through it', async ({expect}) => {
    const directory = await temporaryDirectory('files');
    writeFileSync(join(directory, 'outside'), 'mine');
    symlinkSync(join(directory, 'outside'), join(directory, 'file'));
    writePlanFiles([{kind: 'write-file', path: join(directory, 'file'), text: 'new'}]);
    expect(readFileSync(join(directory, 'outside'), 'utf8')).toBe('mine');
    expect(lstatSync(join(directory, 'file')).isFile()).toBe(true);
  });

  it('that cannot be written are noted, and the others are written', async ({expect}) => {
    const directory = await temporaryDirectory('files');
    mkdirSync(join(directory, 'taken'));
    writeFileSync(join(directory, 'plain'), '');
    chmodSync(join(directory, 'plain'), 0o600);
    const notes = writePlanFiles([
      {kind: 'write-file', path: join(directory, 'taken'), text: 'x'},
      {kind: 'write-file', path: join(directory, 'plain', 'below'), text: 'x'},
      {kind: 'write-file', path: join(directory, 'good'), text: 'x'},
      {kind: 'unset-env', name: 'A'},
    ]);
    expect(notes).toEqual([
      expect.stringMatching(/taken could not be written \(E/),
      expect.stringMatching(/below could not be written \(E/),
    ]);
    expect(existsSync(join(directory, 'good'))).toBe(true);
    expect(readdirSync(directory).sort()).toEqual(['good', 'plain', 'taken']);
  });
});
