import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test, vi} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {newLaunchId} from '../../../src/record/launch-id.js';
import {lineLimit} from '../../../src/record/lines-backwards.js';
import {RecordLog} from '../../../src/record/record-log.js';
import {retention} from '../../../src/record/segments.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {makeRecord, wallTime} from './sample-record.js';

const day = 86_400_000;
const mebibyte = 1024 * 1024;
/** Files get their times from the real clock, so the stopped one must stand near it. */
const noon = Date.now();

let directory: string;
let log: RecordLog;

beforeEach(async () => {
  directory = join(await temporaryDirectory('records'), 'records');
  log = new RecordLog(directory);
  vi.useFakeTimers({toFake: ['Date'], now: noon});
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(join(directory, '..'), {recursive: true, force: true});
});

const segments = (): readonly string[] => readdirSync(directory).sort();
const newest = (count: number): readonly string[] => log.newest(count).map(({target}) => target);
const add = (target: string, at = noon): LaunchRecord => {
  const record = makeRecord({target, at: wallTime(at)});
  log.append(record);
  return record;
};
const makeSegment = (at: number, content: string): string => {
  mkdirSync(directory, {recursive: true});
  const path = join(directory, `${newLaunchId(wallTime(at))}.jsonl`);
  writeFileSync(path, content);
  return path;
};

describe('the record log', () => {
  test('returns what was added, as it was added', ({expect}) => {
    const record = add('a "quoted" \u202e name\n|é😀');
    expect(log.newest(1)).toEqual([record]);
  });

  test('returns the launches that ended last first, and no more than are wanted', ({expect}) => {
    for (const name of ['a', 'b', 'c']) add(name);
    expect(newest(2)).toEqual(['c', 'b']);
    expect(newest(9)).toEqual(['c', 'b', 'a']);
    expect(newest(0)).toEqual([]);
  });

  test('is empty, and makes nothing, where there is no directory', ({expect}) => {
    expect(log.newest(5)).toEqual([]);
    expect(log.find('A')).toBeUndefined();
    expect(existsSync(directory)).toBe(false);
  });

  test('is private', ({expect}) => {
    add('a');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, segments()[0] ?? '')).mode & 0o777).toBe(0o600);
  });

  test('passes over lines that are torn, foreign or of another version', ({expect}) => {
    add('good');
    const path = join(directory, segments()[0] ?? '');
    const line = JSON.stringify(makeRecord());
    appendFileSync(path, `null\n[]\n"text"\n\0\0\n{"v":2}\n${line.replace('"v":1', '"v":2')}\n${line.slice(0, 80)}`);
    expect(newest(9)).toEqual(['good']);
  });

  test('passes over figures no launch can have, which would break every sum', ({expect}) => {
    add('good');
    const path = join(directory, segments()[0] ?? '');
    const line = JSON.stringify(makeRecord());
    for (const bad of ['"total":1e300', '"total":-1e13', '"total":"100"', '"total":null']) {
      appendFileSync(path, `${line.replace('"total":100', bad)}\n`);
    }
    appendFileSync(path, `${line.replace(/"at":\d+/, '"at":9e15')}\n`);
    expect(newest(9)).toEqual(['good']);
  });

  test('ends a torn line before it adds the next launch', ({expect}) => {
    add('a');
    const path = join(directory, segments()[0] ?? '');
    appendFileSync(path, '{"v":1,"id":"01M8PN80');
    add('b');
    expect(newest(9)).toEqual(['b', 'a']);
  });

  test('goes on past something else in place of a segment', ({expect}) => {
    add('a');
    mkdirSync(join(directory, `${newLaunchId(wallTime(noon + 1))}.jsonl`));
    const elsewhere = join(directory, '..', 'elsewhere');
    writeFileSync(elsewhere, '');
    symlinkSync(elsewhere, join(directory, `${newLaunchId(wallTime(noon + 2))}.jsonl`));
    writeFileSync(join(directory, 'notes.txt'), 'no segment');
    add('b');
    expect(newest(9)).toEqual(['b', 'a']);
    expect(readFileSync(elsewhere, 'utf8')).toBe('');
  });

  test('is empty where a file stands in place of its directory, and adding says so', ({expect}) => {
    writeFileSync(directory, '');
    expect(log.newest(1)).toEqual([]);
    expect(() => add('a')).toThrow(/EEXIST|ENOTDIR/);
  });

  test('keeps a launch whose details would make its line too long to be read', ({expect}) => {
    const spans = Array.from({length: 40_000}, (_, index) => ({name: `part ${index}`, from: ms(1), to: ms(2)}));
    log.append(makeRecord({target: 'flood', spans, notes: ['kept']}));
    const [record] = log.newest(1);
    expect(record).toMatchObject({target: 'flood', total: 100, spans: []});
    expect(record?.notes[0]).toBe('kept');
    expect(record?.notes[1]).toMatch(/details left out: .* KiB/);
    expect(record?.phases).toHaveLength(5);
  });

  test('reads only the newest segment for the newest launch', ({expect}) => {
    makeSegment(noon - 2, `${JSON.stringify(makeRecord({target: 'old'}))}\n`);
    makeSegment(noon - 1, `${JSON.stringify(makeRecord({target: 'new'}))}\n`);
    const parse = vi.spyOn(JSON, 'parse');
    expect(newest(1)).toEqual(['new']);
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
  });
});

describe('a launch is found', () => {
  test('by its id and by its end, in either case of letters', ({expect}) => {
    const wanted = add('wanted');
    add('other');
    expect(log.find(wanted.id)?.target).toBe('wanted');
    expect(log.find(wanted.id.toLowerCase())?.target).toBe('wanted');
    expect(log.find(wanted.id.slice(-6))?.target).toBe('wanted');
    expect(log.find(wanted.id.slice(-6).toLowerCase())?.target).toBe('wanted');
  });

  test('only by its id: the same text elsewhere in a record is not looked at', ({expect}) => {
    add('WANTED');
    expect(log.find('WANTED')).toBeUndefined();
  });

  test('as the newest one where several ids end alike', ({expect}) => {
    const record = add('older');
    log.append({...record, target: 'newer', id: `00000000000000000000${record.id.slice(-6)}` as typeof record.id});
    expect(log.find(record.id.slice(-6))?.target).toBe('newer');
    expect(log.find(record.id)?.target).toBe('older');
  });

  test('even when it ran so long that a later one made the segment in which it ended', ({expect}) => {
    const long = makeRecord({target: 'long', at: wallTime(noon - 3 * day)});
    makeSegment(noon - 4 * day, `${JSON.stringify(makeRecord({target: 'early'}))}\n`);
    makeSegment(noon - day, `${JSON.stringify(makeRecord({target: 'between'}))}\n`);
    log.append(long);
    expect(segments()).toHaveLength(2);
    expect(log.find(long.id)?.target).toBe('long');
  });

  test('not by a text that no id can end with', ({expect}) => {
    add('a');
    for (const text of ['', ' ', '"', '.*', '\n', '../x', 'é', 'A'.repeat(5000)]) {
      expect(log.find(text), JSON.stringify(text)).toBeUndefined();
    }
  });
});

describe('segments', () => {
  test('begin anew when the newest is full', ({expect}) => {
    makeSegment(noon - 1, `${'x'.repeat(mebibyte - 1)}\n`);
    add('a');
    expect(segments()).toHaveLength(2);
    add('b');
    expect(segments()).toHaveLength(2);
    expect(newest(9)).toEqual(['b', 'a']);
  });

  test('stay in order when a launch that began long ago makes one', ({expect}) => {
    makeSegment(noon - day, `${JSON.stringify(makeRecord({target: 'before'}))}\n${' '.repeat(mebibyte)}\n`);
    add('began long ago', noon - 3 * day);
    add('next');
    expect(newest(9)).toEqual(['next', 'began long ago', 'before']);
  });

  test('stay in order when the clock goes back', ({expect}) => {
    makeSegment(noon + 30 * day, `${JSON.stringify(makeRecord({target: 'before'}))}\n${' '.repeat(mebibyte)}\n`);
    add('after');
    add('next');
    expect(newest(9)).toEqual(['next', 'after', 'before']);
    expect(segments()).toHaveLength(2);
  });

  test('begin anew every week, so that old launches can go', ({expect}) => {
    add('a');
    vi.setSystemTime(noon + 6 * day);
    add('b');
    expect(segments()).toHaveLength(1);
    vi.setSystemTime(noon + 7 * day);
    add('c');
    expect(segments()).toHaveLength(2);
  });

  test('go, the oldest first, when all take more than is kept', ({expect}) => {
    for (let index = 0; index < 70; index += 1) {
      truncateSync(makeSegment(noon - 100 + index, ''), mebibyte);
    }
    const before = segments();
    add('a');
    const after = segments();
    expect(after.slice(0, -1)).toEqual(before.slice(-64));
    expect(retention.bytes).toBe(64 * mebibyte);
    expect(newest(9)).toEqual(['a']);
  });

  test('go when they were last written too long ago, however early they were begun', ({expect}) => {
    const old = makeSegment(noon - 200 * day, 'x\n');
    const stillWritten = makeSegment(noon - 150 * day, 'x\n');
    utimesSync(old, new Date(noon), new Date(noon - 91 * day));
    utimesSync(stillWritten, new Date(noon), new Date(noon - 89 * day));
    add('a');
    expect(existsSync(old)).toBe(false);
    expect(existsSync(stillWritten)).toBe(true);
    expect(segments()).toHaveLength(2);
  });

  test('are looked through only when a new one is made', ({expect}) => {
    const old = makeSegment(noon - 200 * day, 'x\n');
    utimesSync(old, new Date(noon), new Date(noon - 91 * day));
    makeSegment(noon - 1, '');
    add('a');
    expect(existsSync(old)).toBe(true);
  });

  test('take lines up to the limit that is read', ({expect}) => {
    const base = JSON.stringify(makeRecord({cwd: ''})).length;
    const fitting = makeRecord({target: 'true', cwd: 'x'.repeat(lineLimit - base)});
    log.append(fitting);
    expect(log.newest(1)).toEqual([fitting]);
  });
});
