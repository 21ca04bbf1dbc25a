import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Ajv2020} from 'ajv/dist/2020.js';
import {afterAll, beforeAll, describe, test} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {RecordLog} from '../../../src/record/record-log.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {traceFaults} from '../../rig/trace-format.js';
import {makeRecord, makeStep, phases, spans} from '../record/sample-record.js';

/* These run the built command, as a person does. */

let rig: LaunchRig;
let empty: LaunchRig;
let records: readonly LaunchRecord[];

beforeAll(async () => {
  rig = await LaunchRig.create();
  empty = await LaunchRig.create();
  const log = new RecordLog(join(rig.state, 'records'));
  records = Array.from({length: 60}, (_, index) => {
    const isCold = index % 2 === 1;
    const preBoot = isCold ? 500 : 20 + (index < 30 ? 0 : 100) + index / 100;
    return makeRecord({
      temperature: isCold ? 'cold' : 'warm',
      target: '100%done',
      runtimeVersion: index < 30 ? '0.1.13' : '0.1.14',
      runtime: 'agent-vm',
      total: ms(preBoot + 900),
      phases: phases([
        ['client', 0, 3],
        ['pre-boot', 3, preBoot],
        ['boot', preBoot, preBoot + 400],
        ['run', preBoot + 400, preBoot + 900],
      ]),
      steps: [
        makeStep('a/slow', 5, isCold ? 495 : 5.1, {
          state: isCold ? 'read' : 'fresh',
          cost: 490,
          spans: spans([['x', 5, 5.05]]),
        }),
        makeStep('a/other', 5, isCold ? 205 : 5.1, {state: isCold ? 'read' : 'fresh', cost: 200}),
      ],
      waited: ms(isCold ? 490 : 0.1),
    });
  });
  for (const record of records) log.append(record);
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await empty[Symbol.asyncDispose]();
});

const validate = new Ajv2020({strict: true, allowUnionTypes: true}).compile(
  JSON.parse(readFileSync(new URL('../../../schemas/profile-views.schema.json', import.meta.url), 'utf8')) as object,
);
const json = async (args: readonly string[]): Promise<unknown> => {
  const {stdout} = await rig.run([...args, '--json']);
  const value: unknown = JSON.parse(stdout);
  return [validate(value), validate.errors, value];
};

describe('profile --format', () => {
  test('is a table, JSON, TSV, a trace, a drawing or a page; names with % in them stay whole', async ({expect}) => {
    const id = records.at(-1)?.id ?? '';
    const of = async (format: string): Promise<string> => (await rig.run(['profile', id, '--format', format])).stdout;
    expect(await of('table')).toMatch(/^run 100%done: /);
    expect(JSON.parse(await of('json'))).toMatchObject({launches: [{id, runtimeVersion: '0.1.14'}]});
    expect((await of('tsv')).split('\n')[1]).toContain('\t100%done\t');
    expect(traceFaults(await of('trace'))).toEqual([]);
    expect(await of('svg')).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(await of('html')).toMatch(/^<!doctype html>.*<\/html>\n$/s);
  });

  test('picks by --where, and shows several launches in one trace', async ({expect}) => {
    const {stdout} = await rig.run(['profile', '--where', 'temperature=warm', '--last', '3', '--format', 'trace']);
    const names = [...stdout.matchAll(/bootcut run 100%done (\w{6})/g)].map(([, name]) => name);
    const warm = records.filter(({temperature}) => temperature === 'warm').map(({id}) => id.slice(-6));
    expect([...names].sort()).toEqual(warm.slice(-3).sort());
  });

  test('reaches a reader that leaves early without a word', async ({expect}) => {
    const line = `bootcut profile --last 60 --format trace | head -c 20; echo "\n\${PIPESTATUS[0]}"`;
    const {stdout, stderr} = await rig.shell(line);
    expect([stdout.split('\n').at(-2), stderr]).toEqual(['0', '']);
  });
});

describe('profile diff', () => {
  test('compares groups by median and interval, on one scale', async ({expect}) => {
    const {status, stdout} = await rig.run([
      'profile',
      'diff',
      'temperature=warm',
      'temperature=cold',
      '--where',
      'target=100%done',
    ]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^A: temperature=warm, 30 launches \(warm\)\nB: temperature=cold, 30 launches \(cold\)/);
    expect(stdout).toMatch(/\| · a\/slow +\| +0\.100 \| +490\.000 \| +\+490 ms \| \+490 ms to \+490 ms: slower/);
    expect(stdout).toContain('- warm or cold: A is warm, B is cold');
  });

  test('compares two launches, and says so in JSON as the schema has it', async ({expect}) => {
    const [a, b] = [records[0]?.id ?? '', records[1]?.id ?? ''];
    expect(await json(['profile', 'diff', a, b])).toEqual([
      true,
      null,
      expect.objectContaining({
        a: expect.objectContaining({launches: [a]}),
        b: expect.objectContaining({launches: [b]}),
      }),
    ]);
  });
});

describe('profile history', () => {
  test('says since which release of the runtime a phase takes longer', async ({expect}) => {
    const {status, stdout} = await rig.run([
      'profile',
      'history',
      '--phase',
      'pre-boot',
      '--where',
      'temperature=warm',
    ]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^- pre-boot \+100 ms since agent-vm 0\.1\.14 \(17 ms → 117 ms, from launch \w{6} on/m);
    expect(stdout).toContain(records[30]?.id.slice(-6));
  });

  test('is of launches like the newest one by itself', async ({expect}) => {
    const [isValid, errors, history] = (await json(['profile', 'history', '--last', '20'])) as readonly unknown[];
    expect([isValid, errors]).toEqual([true, null]);
    expect(history).toMatchObject({
      filter: {verb: 'run', target: '100%done', runtime: 'agent-vm', temperature: 'cold'},
      launches: 20,
      onRecord: 60,
      more: true,
    });
  });
});

describe('profile blame and what-if', () => {
  test('part work from waiting, and take a step away', async ({expect}) => {
    const blame = await rig.run(['profile', 'blame', '--where', 'temperature=cold', '--last', '10']);
    expect(blame.stdout).toMatch(/a\/slow +\| +10 \| +490\.000 \| +0\.050 \| +489\.950 \| +490\.000 \| +290\.000 \|/);
    const {stdout} = await rig.run(['profile', 'what-if', '--where', 'temperature=cold', 'slow=0']);
    expect(stdout).toContain('with slow=0: ready after 610.000 ms instead of 900.000 (-290 ms)');
    const several = await rig.run([
      'profile',
      'what-if',
      'slow=0',
      'other=+400',
      '--where',
      'temperature=cold',
      '--last',
      '5',
    ]);
    expect(several.stdout).toContain('ready +110 ms in the median of 5 launches');
  });

  test('answer in JSON as the schema has it', async ({expect}) => {
    for (const args of [['blame'], ['blame', '--last', '60'], ['what-if', 'slow=0'], ['what-if', '--last', '3']]) {
      expect(await json(['profile', ...args])).toEqual([true, null, expect.anything()]);
    }
  });
});

describe('what cannot be', () => {
  test.for([
    {args: ['diff'], status: 2},
    {args: ['diff', 'temperature=warm'], status: 2},
    {args: ['diff', 'temperature=hot', 'temperature=warm'], status: 2},
    {args: ['diff', 'ZZZZZZ', 'temperature=warm'], status: 1, says: "no launch 'ZZZZZZ'"},
    {args: ['diff', 'version=9', 'version=0.1.14'], status: 1, says: 'No launch on record fits version=9'},
    {args: ['history', '--phase', 'lunch'], status: 2},
    {args: ['history', '--where', 'target=none'], status: 1, says: 'fits target=none'},
    {args: ['blame', 'ZZZZZZ'], status: 1},
    {args: ['what-if', 'slow'], status: 2, says: 'STEP=0'},
    {args: ['what-if', 'fast=0'], status: 1, says: 'a/slow'},
    {args: ['--format', 'pdf'], status: 2},
    {args: ['--format', 'html', '--last', '3'], status: 2},
    {args: ['--a', 'via=daemon', '--format', 'tsv'], status: 2},
    {args: ['--where', 'nonsense'], status: 2, says: 'KEY=VALUE'},
  ])('$args ends with $status and says what to do', async ({args, status, says}, {expect}) => {
    const ended = await rig.run(['profile', ...args]);
    expect([ended.status, ended.stdout]).toEqual([status, '']);
    expect(ended.stderr.replace(/\s+›?\s*/g, ' ')).toContain(says ?? '');
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  test('each says where to begin when nothing is on record yet', async ({expect}) => {
    for (const args of [['history'], ['blame'], ['what-if']]) {
      const {status, stderr} = await empty.run(['profile', ...args]);
      expect([status, stderr.includes('No launch is on record yet.')]).toEqual([1, true]);
    }
    const {stdout} = await empty.run(['profile', 'history', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({error: {reason: 'no-launches'}});
  });
});
