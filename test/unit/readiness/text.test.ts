import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {LineFeed, matchesLine} from '../../../src/readiness/line-feed.js';
import {parseCondition} from '../../../src/readiness/parse-condition.js';
import {at, node, oneRun} from './one-run.js';

/** Does any state of any line match, as the log condition sees it? */
const matches = (pattern: RegExp, chunks: readonly (string | Buffer)[]): boolean => {
  const feed = new LineFeed();
  let found = false;
  feed.on((line, isWhole) => (found ||= matchesLine(pattern, line, isWhole)));
  for (const chunk of chunks) feed.push(Buffer.from(chunk as string));
  return found;
};

describe('a pattern in the output (R3)', () => {
  it('is found however the reads cut it', () => {
    expect(matches(/server ready/, 'the server ready'.match(/./g)!)).toBe(true);
    expect(
      matches(
        /größe/,
        [...Buffer.from('größe\n')].map((byte) => Buffer.from([byte])),
      ),
    ).toBe(true);
  });

  it('is found in the middle of a 200 kB line, after a carriage return, without a newline at the end', () => {
    expect(
      matches(/needle/, [`${'x'.repeat(100_000)}needle${'y'.repeat(100_000)}`.slice(0, 100_006), 'y'.repeat(100_000)]),
    ).toBe(true);
    expect(matches(/^ready$/, ['10 %\r20 %\rready\r\n'])).toBe(true);
    expect(matches(/^ready/, ['10 %\r20 %\rready'])).toBe(true);
  });

  it('is found between colours, also when a colour is cut', () => {
    expect(matches(/ready/, ['\u001b[3', '2mre\u001b[0', 'mady'])).toBe(true);
    expect(matches(/ready/, ['re\u001b', '[1mady'])).toBe(true);
  });

  it('does not take the beginning of a line for its end', () => {
    expect(matches(/^ready$/, ['ready to fail\n'])).toBe(false);
    expect(matches(/^ready$/, ['ready', ' to fail\n'])).toBe(false);
    expect(matches(/^ready$/, ['ready', '\n'])).toBe(true);
  });

  it('keeps the streams apart: stderr after an unfinished line of stdout begins a line', async () => {
    const run = await oneRun(
      node("process.stdout.write('half'); process.stderr.write('ready'); setTimeout(() => {}, 60000)"),
      ['said=stderr:/^ready/'],
    );
    expect(run.state).toBe('ok');
  });

  it('comes through a pipe, which a program can open by its name as it could a shell’s', async () => {
    const run = await oneRun(
      ['sh', '-c', 'echo ready >/dev/stdout; echo well >/dev/stderr; sleep 60'],
      ['stdout:ready', 'stderr:well'],
    );
    expect(run.why).toBeUndefined();
  });

  it('holds no more than the end of an endless line', () => {
    const feed = new LineFeed();
    for (let count = 0; count < 400; count += 1) feed.push(Buffer.alloc(65_536, 'x'));
    expect(feed.last().join('').length).toBeLessThanOrEqual(16_384);
    expect(feed.bytes).toBe(400 * 65_536);
  });
});

const place = (): string => mkdtempSync(join(tmpdir(), 'bootcut-wait-'));
const stay = 'setTimeout(() => {}, 60000)';

describe('a log file (R3)', () => {
  it('counts what is added after the start, not what it held before', async () => {
    const file = join(place(), 'log');
    writeFileSync(file, 'ready of yesterday\n');
    const script = `setTimeout(() => require('fs').appendFileSync(${JSON.stringify(file)}, 'ready now'), 100); ${stay}`;
    const run = await oneRun(node(script), [`logged=logfile:${file}:/ready/`]);
    expect(run.milestones.find(({name}) => name === 'logged')?.detail).toContain('ready now');
    const old = await oneRun(node(stay), [`logfile:${file}:/yesterday/ old`]);
    expect(old.state).toBe('ok');
  });

  for (const [name, change] of [
    ['cut and written anew', "fs.writeFileSync(f, 'ready')"],
    ['renamed and made anew', "fs.renameSync(f, f + '.1'); fs.writeFileSync(f, 'ready')"],
    [
      'grown by 20 MB first',
      "fs.appendFileSync(f, ('x'.repeat(99) + '\\n').repeat(2e5)); fs.appendFileSync(f, 'ready')",
    ],
  ] as const) {
    it(`is followed when it is ${name}`, async () => {
      const file = join(place(), 'log');
      writeFileSync(file, 'a line of an old log that is longer than the new one\n');
      const script = `const fs = require('fs'); const f = ${JSON.stringify(file)}; ${change}; ${stay}`;
      expect((await oneRun(node(script), [`logfile:${file}:ready`])).why).toBeUndefined();
    });
  }

  it('may be made late, in a directory that is not there yet', async () => {
    const directory = join(place(), 'logs');
    const script = `setTimeout(() => {const fs = require('fs'); fs.mkdirSync(${JSON.stringify(directory)}); fs.writeFileSync(${JSON.stringify(join(directory, 'log'))}, 'ready')}, 100); ${stay}`;
    expect((await oneRun(node(script), [`logfile:${join(directory, 'log')}:ready`])).why).toBeUndefined();
  });
});

describe('a marker file (R6)', () => {
  it('left over from the last run is not taken for this run’s, and is named as that', async () => {
    const file = join(place(), 'ready');
    writeFileSync(file, 'old');
    const run = await oneRun(node(stay), [`file:${file}`], {limitMs: 1500});
    expect(run.state).toBe('failed');
    expect(run.why).toContain('was there before the start and has not changed since');
    const asked = await oneRun(node(stay), [`marker=file:${file} old`]);
    expect(asked.milestones.find(({name}) => name === 'marker')?.detail).toContain('which was there before the start');
  });

  it('counts when it is not empty any more, unless an empty one is asked for', async () => {
    const file = join(place(), 'ready');
    const script = `const fs = require('fs'); fs.writeFileSync(${JSON.stringify(file)}, ''); setTimeout(() => fs.writeFileSync(${JSON.stringify(file)}, '1'), 300); ${stay}`;
    const run = await oneRun(node(script), [`made=file:${file} empty`, `filled=file:${file}`]);
    expect(at(run, 'filled') - at(run, 'made')).toBeGreaterThan(200);
  });

  for (const [name, change] of [
    ['written by rename', "fs.writeFileSync(f + '.tmp', 'same'); fs.renameSync(f + '.tmp', f)"],
    ['written again with the same text', "fs.writeFileSync(f, 'same')"],
    [
      'removed and made again with an old time stamp',
      "fs.rmSync(f); fs.writeFileSync(f, 'same'); fs.utimesSync(f, 1, 1)",
    ],
    ['replaced by a directory', 'fs.rmSync(f); fs.mkdirSync(f)'],
  ] as const) {
    it(`counts when it is ${name}`, async () => {
      const file = join(place(), 'ready');
      writeFileSync(file, 'same');
      const script = `const fs = require('fs'); const f = ${JSON.stringify(file)}; setTimeout(() => {${change}}, 50); ${stay}`;
      const run = await oneRun(node(script), [`marker=file:${file}`]);
      expect(run.why).toBeUndefined();
      expect(run.milestones.find(({name: own}) => own === 'marker')?.slack?.by).toBe('event');
      rmSync(file, {recursive: true, force: true});
    });
  }
});

describe('a command that succeeds', () => {
  it('is tried in the target’s directory and environment until it does', async () => {
    const directory = place();
    const script = `setTimeout(() => require('fs').writeFileSync('there', process.env.MARK), 150); ${stay}`;
    const run = await oneRun(node(script), ['exec:["sh","-c","grep -q \\"$MARK\\" there"]'], {
      cwd: directory,
      env: {MARK: 'm1'},
    });
    expect(run.why).toBeUndefined();
    const never = await oneRun(node(stay), ['exec:false'], {limitMs: 800});
    expect(never.why).toContain('false ended with 1');
  });
});

describe('a condition as it is written', () => {
  it('says what is wrong with it', () => {
    for (const text of [
      'port:0',
      'port:70000',
      'http:nonsense',
      'log:',
      'logfile:x',
      'exec:',
      'nothing',
      'ready',
      'settled:x',
      'screen:region=1',
      'log:/(/',
      'http://x/ status=abc',
    ]) {
      expect(parseCondition(text), text).toMatchObject({ok: false, failure: {reason: 'bad-argument'}});
    }
  });

  it('may have a name, blanks in its path, and options at its end', () => {
    expect(parseCondition('up=http://localhost:1/a?b=c status=2xx body=/a b/')).toMatchObject({
      value: {name: 'up', kind: 'http', url: 'http://localhost:1/a?b=c', status: {from: 200, to: 299}, body: /a b/},
    });
    expect(parseCondition('file:/tmp/with blank old')).toMatchObject({
      value: {path: '/tmp/with blank', old: true, empty: false},
    });
    expect(parseCondition('logfile:/tmp/a:b.log:/x:y/')).toMatchObject({value: {path: '/tmp/a:b.log', pattern: /x:y/}});
    expect(parseCondition('port:[::1]:80')).toMatchObject({value: {host: '::1', port: 80}});
  });
});
