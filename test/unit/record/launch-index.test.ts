import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {filterKeys, type LaunchFilter, parseFilter, recordFits} from '../../../src/profile/launch-filter.js';
import {rowOf} from '../../../src/profile/launch-row.js';
import {LaunchIndex} from '../../../src/record/launch-index.js';
import {RecordLog} from '../../../src/record/record-log.js';
import {checkSum, rowBytes, rowTest} from '../../../src/record/row-codec.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {randomRecord, seeded} from '../profile/random-record.js';
import {makeRecord, wallTime} from './sample-record.js';

let root: string;
let directory: string;
let log: RecordLog;

beforeEach(async () => {
  root = await temporaryDirectory('index');
  directory = join(root, 'records');
  log = new RecordLog(directory);
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const rowFile = (): string => join(root, 'records-index', readdirSync(join(root, 'records-index'))[0] ?? '');
const segment = (): string => join(directory, readdirSync(directory)[0] ?? '');
const targets = (filter: LaunchFilter = {}): readonly string[] => log.rows(filter, 1000).map(({target}) => target);
const add = (target: string, changes: Partial<LaunchRecord> = {}): LaunchRecord => {
  const record = makeRecord({target, ...changes});
  log.append(record);
  return record;
};

/** Texts of all kinds and lengths, from few enough that several launches share one. */
const anyLaunch = (seed: number): LaunchRecord => {
  const random = seeded(seed * 7919);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const version = pick([undefined, '0.1.13', '0.1.14']);
  return {
    ...randomRecord(seed),
    id: makeRecord({at: wallTime(1e12 + seed)}).id,
    verb: pick(['run', 'shell']),
    target: pick([
      'true',
      'make',
      'ä€😀 "quoted"',
      'a name that is longer than the forty bytes that there are for it, 1',
      '',
    ]),
    runtime: pick(['process', 'agent-vm']),
    ...(version === undefined ? {} : {runtimeVersion: version}),
    via: pick(['daemon', 'in-process']),
    front: pick(['node', 'launcher']),
    cwd: pick(['/work', '/tmp', 'x'.repeat(5000)]),
  };
};

describe('the index of launches', () => {
  test('has of every launch what its record has', ({expect}) => {
    const records = Array.from({length: 200}, (_, index) => anyLaunch(index + 1));
    for (const record of records) log.append(record);
    const rows = log.rows({}, 1000);
    for (const [index, record] of [...records].reverse().entries()) {
      const {target, ...rest} = rowOf(record, checkSum);
      expect(rows[index]).toMatchObject(rest);
      expect(target.startsWith(rows[index]?.target ?? '?')).toBe(true);
    }
  });

  test('picks the launches that a look at every record picks', ({expect}) => {
    const records = Array.from({length: 300}, (_, index) => anyLaunch(index + 1));
    for (const record of records) log.append(record);
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seeded(seed);
      const model = records[Math.floor(random() * records.length)];
      const filter = Object.fromEntries(
        filterKeys.flatMap((key) => {
          const value =
            key === 'version' ? model?.runtimeVersion : key === 'outcome' ? model?.outcome.kind : model?.[key];
          return value === undefined || random() < 0.7 ? [] : [[key, value]];
        }),
      ) as LaunchFilter;
      const wanted = [...records].reverse().filter((record) => recordFits(record, filter));
      expect(log.newestOf(filter, 1000), JSON.stringify(filter)).toEqual(wanted);
      expect(log.newestOf(filter, 3)).toEqual(wanted.slice(0, 3));
    }
  });

  test('is private, and makes nothing where there are no records', ({expect}) => {
    expect(log.rows({}, 5)).toEqual([]);
    expect(existsSync(join(root, 'records-index'))).toBe(false);
    add('a');
    expect(statSync(join(root, 'records-index')).mode & 0o777).toBe(0o700);
    expect(statSync(rowFile()).mode & 0o777).toBe(0o600);
  });

  test('is read as it is when it accounts for every byte, and not made again', ({expect}) => {
    for (const name of ['a', 'b', 'c']) add(name);
    const before = statSync(rowFile()).ino;
    expect(targets()).toEqual(['c', 'b', 'a']);
    expect(statSync(rowFile()).ino).toBe(before);
  });

  test.for([
    ['a crash between a record and its row', () => truncateSync(rowFile(), 2 * rowBytes)],
    ['a row torn in two', () => truncateSync(rowFile(), 2 * rowBytes + 100)],
    ['the file lost', () => rmSync(rowFile())],
    ['another thing in its place', () => writeFileSync(rowFile(), 'no rows at all')],
    ['rows twice', () => appendFileSync(rowFile(), readFileSync(rowFile()).subarray(0, rowBytes))],
    ['rows of another version', () => writeFileSync(rowFile(), readFileSync(rowFile()).fill(9, 1, 2))],
  ] as const)('is made again from the records after %s', ([, harm], {expect}) => {
    for (const name of ['a', 'b', 'c']) add(name);
    const before = log.rows({}, 10);
    harm();
    expect(log.rows({}, 10)).toEqual(before);
    const made = statSync(rowFile()).ino;
    expect(log.rows({}, 10)).toEqual(before);
    expect(statSync(rowFile()).ino).toBe(made);
    add('d');
    expect(targets()).toEqual(['d', 'c', 'b', 'a']);
    expect(statSync(rowFile()).ino).toBe(made);
  });

  test('accounts for lines that are no launch, once', ({expect}) => {
    add('a');
    appendFileSync(segment(), '{"v":1,"torn\n\0\0\n');
    add('b');
    appendFileSync(segment(), '{"v":1,"id":"01M8PN80');
    expect(targets()).toEqual(['b', 'a']);
    const made = statSync(rowFile()).ino;
    expect(targets()).toEqual(['b', 'a']);
    expect(statSync(rowFile()).ino).toBe(made);
  });

  test('never shows a row that is not as it was written', ({expect}) => {
    for (const name of ['a', 'b']) add(name);
    const bytes = readFileSync(rowFile());
    bytes[rowBytes + 30] = (bytes[rowBytes + 30] ?? 0) ^ 1;
    writeFileSync(rowFile(), bytes);
    expect(targets()).toEqual(['a']);
  });

  test('outlives the records it was made from, which are then found by no id', ({expect}) => {
    const {id} = add('gone', {total: ms(42)});
    expect(log.find(id)?.target).toBe('gone');
    rmSync(segment());
    expect(log.rows({}, 5)).toMatchObject([{id, target: 'gone', total: 42}]);
    expect([log.find(id), log.newestOf({}, 5)]).toEqual([undefined, []]);
  });

  test('costs a launch nothing when it cannot be written', ({expect}) => {
    writeFileSync(join(root, 'records-index'), 'in the way');
    add('a');
    expect(log.newest(1)).toMatchObject([{target: 'a'}]);
    expect(targets()).toEqual(['a']);
    expect(log.find(log.newest(1)[0]?.id ?? '')?.target).toBe('a');
  });

  test('reads no more files than it takes to find what is wanted', ({expect}) => {
    const line = (target: string): string => `${JSON.stringify(makeRecord({target}))}\n`;
    add('old');
    for (const [index, name] of ['01M8PN80AAAAAAAAAAAAAAAAAA', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'].entries()) {
      writeFileSync(join(directory, `${name}.jsonl`), line(`by hand ${index}`));
    }
    const index = new LaunchIndex(directory);
    const first = index.backwards(rowTest({})).next();
    expect(first.value).toMatchObject({row: {target: 'by hand 1'}});
    expect(readdirSync(join(root, 'records-index')).sort()[0]).not.toContain('01M8PN80AAAA');
  });

  test('needs no right to write, to read', ({expect, skip}) => {
    if (process.getuid?.() === 0) skip();
    add('a');
    rmSync(rowFile());
    chmodSync(join(root, 'records-index'), 0o500);
    expect(targets()).toEqual(['a']);
  });
});

describe('a filter', () => {
  test('is KEY=VALUE, several with commas or apart; a comma in a value is escaped', ({expect}) => {
    expect(parseFilter(['temperature=warm,target=a\\,b', 'cwd=/x=y'])).toEqual({
      ok: true,
      value: {temperature: 'warm', target: 'a,b', cwd: '/x=y'},
    });
    expect(parseFilter([])).toEqual({ok: true, value: {}});
  });

  test.for([
    'x=1',
    'target',
    '=true',
    '',
    'temperature=hot',
    'via=x',
    'target=a,target=b',
    'target=a,',
    'constructor=x',
  ])('is refused as %j', (text, {expect}) => {
    expect(parseFilter([text]).ok).toBe(false);
  });
});
