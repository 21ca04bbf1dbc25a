import {appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Ajv2020} from 'ajv/dist/2020.js';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {ms} from '../../../src/model/units.js';
import type {LaunchProfile} from '../../../src/profile/launch-profile.js';
import {RecordLog} from '../../../src/record/record-log.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {makeRecord, makeStep, spans} from '../record/sample-record.js';

/* These run the built command, as a person does. */

let rig: LaunchRig;
let records: string;

beforeEach(async () => {
  rig = await LaunchRig.create();
  records = join(rig.state, 'records');
});

afterEach(async () => await rig[Symbol.asyncDispose]());

const add = (target: string, changes: Parameters<typeof makeRecord>[0] = {}) => {
  const record = makeRecord({target, ...changes});
  new RecordLog(records).append(record);
  return record;
};

const json = (text: string): {readonly launches: readonly LaunchProfile[]} =>
  JSON.parse(text) as {readonly launches: readonly LaunchProfile[]};

describe('bootcut profile', () => {
  test('shows the launch that ended last, and starts no daemon', async ({expect}) => {
    add('older');
    add('newest');
    const {status, stdout, stderr} = await rig.run(['profile']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[0]).toBe('run newest: 100.000 ms, warm, to the end of the command (exited 0)');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('waited 0 ms for 0 ms of look-ups');
    expect(await rig.daemons()).toEqual([]);
  });

  test('shows the launch that is named by its id or the end of it', async ({expect}) => {
    const wanted = add('wanted');
    add('other');
    for (const name of [wanted.id, wanted.id.slice(-6).toLowerCase()]) {
      expect((await rig.run(['profile', name])).stdout).toMatch(/^run wanted: /);
    }
  });

  test('lists the newest launches, the last one first', async ({expect}) => {
    for (const name of ['a', 'b', 'c']) add(name);
    const {status, stdout} = await rig.run(['profile', '--last', '2']);
    expect(status).toBe(0);
    expect([...stdout.matchAll(/ run (\w+) /g)].map(([, name]) => name)).toEqual(['c', 'b']);
  });

  test('says where to begin when there are no launches yet', async ({expect}) => {
    const {status, stdout, stderr} = await rig.run(['profile']);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('No launch is on record yet.');
    expect(existsSync(records)).toBe(false);
  });

  test('says so when the launch that is named is not on record', async ({expect}) => {
    add('a');
    const {status, stderr} = await rig.run(['profile', 'ZZZZZZ']);
    expect(status).toBe(1);
    expect(stderr).toContain("There is no launch 'ZZZZZZ' on record.");
  });

  test.for([
    {args: ['--last', '0']},
    {args: ['--last', '-1']},
    {args: ['--last', '1.5']},
    {args: ['--last', 'ten']},
    {args: ['--last']},
    {args: ['--nonsense']},
    {args: ['AAAAAA', 'BBBBBB']},
    {args: ['AAAAAA', '--last', '2']},
  ])('refuses $args with status 2', async ({args}, {expect}) => {
    add('a');
    const {status, stdout, stderr} = await rig.run(['profile', ...args]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).not.toBe('');
  });

  test('answers in JSON as the published schema says, with the text as it was recorded', async ({expect}) => {
    const evil = 'A\u001b[31m\u202e|\n"é😀';
    add('true', {
      cwd: evil,
      notes: [evil],
      steps: [makeStep('a/b', 10, 19, {state: 'failed', reason: 'no-answer', detail: evil})],
      spans: spans([[evil, 1, 2]]),
    });
    const {status, stdout, stderr} = await rig.run(['profile', '--json']);
    expect([status, stderr]).toEqual([0, '']);
    const schema = readFileSync(new URL('../../../schemas/profile.schema.json', import.meta.url), 'utf8');
    const validate = new Ajv2020({strict: true}).compile(JSON.parse(schema) as object);
    const isValid = validate(JSON.parse(stdout));
    expect([isValid, validate.errors]).toEqual([true, null]);
    const [launch] = json(stdout).launches;
    expect([launch?.cwd, launch?.notes, launch?.steps[0]?.detail]).toEqual([evil, [evil], evil]);
  });

  test('answers a failure in JSON too, on stdout', async ({expect}) => {
    const {status, stdout} = await rig.run(['profile', '--json']);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({error: {reason: 'no-launches'}});
  });

  test('keeps chatter out of its JSON', async ({expect}) => {
    add('a');
    mkdirSync(join(rig.home, '.config', 'bootcut'), {recursive: true});
    writeFileSync(join(rig.home, '.config', 'bootcut', 'config.json'), '{broken');
    const {status, stdout} = await rig.run(['profile', '--json'], {env: {DEBUG: '*'}});
    expect(status).toBe(0);
    expect(json(stdout).launches).toHaveLength(1);
  });

  test('passes over what is no record, and says so only when nothing is left', async ({expect}) => {
    add('good');
    const segment = join(records, readdirSync(records)[0] ?? '');
    appendFileSync(segment, `\0\0\0\n{"v":1,"id":"torn`);
    mkdirSync(join(records, `${'Z'.repeat(26)}.jsonl`));
    expect((await rig.run(['profile'])).stdout).toMatch(/^run good: /);
    writeFileSync(segment, Buffer.alloc(3_000_000));
    expect((await rig.run(['profile'])).stderr).toContain('No launch is on record yet.');
  });

  test('says so when there is a file in place of the records', async ({expect}) => {
    mkdirSync(rig.state, {recursive: true, mode: 0o700});
    writeFileSync(records, 'x');
    const {status, stderr} = await rig.run(['profile', 'ABCDEF']);
    expect(status).toBe(1);
    expect(stderr).toContain('ABCDEF');
  });
});

describe('a large answer', () => {
  const launches = 300;
  const fill = (): void => {
    for (let index = 0; index < launches; index += 1) {
      add(`target-${index}`, {steps: [makeStep('a/b', 10, 19, {detail: 'x'.repeat(500)})], waited: ms(9)});
    }
  };

  test('reaches a pipe whole', async ({expect}) => {
    fill();
    const {status, stdout, stderr} = await rig.run(['profile', '--last', String(launches), '--json']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.length).toBeGreaterThan(200_000);
    expect(json(stdout).launches).toHaveLength(launches);
    const text = await rig.run(['profile', '--last', String(launches)]);
    expect(text.stdout.split('\n').filter((line) => line.includes('target-'))).toHaveLength(launches);
  });

  test('reaches a reader that takes more than the ten seconds after which oclif gives up', async ({expect}) => {
    fill();
    const hurry = join(rig.root, 'hurry.cjs');
    // Those ten seconds pass at once, before the reader can have taken more than the first of it.
    writeFileSync(
      hurry,
      `const wait = globalThis.setTimeout;
      globalThis.setTimeout = (work, after, ...rest) => {
        if (after !== 10_000) return wait(work, after, ...rest);
        setImmediate(work);
        return {unref() {}};
      };`,
    );
    const {status, stdout, stderr} = await rig.run(['profile', '--last', String(launches), '--json'], {
      env: {NODE_OPTIONS: `--require=${hurry}`},
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(json(stdout).launches).toHaveLength(launches);
  });

  test('ends quietly when its reader has gone', async ({expect}) => {
    fill();
    const line = `bootcut profile --last ${launches} --json | head -c 20; echo "\n\${PIPESTATUS[0]}"`;
    const {stdout, stderr} = await rig.shell(line);
    expect(stderr).toBe('');
    expect(stdout.split('\n').at(-2)).toBe('0');
  });
});
