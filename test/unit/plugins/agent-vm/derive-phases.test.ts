import type {Moment, ObservedLine, PhaseMarks} from 'bootcut/plugin';
import {afterEach, describe, test} from 'vitest';
import {derivePhases} from '../../../../plugins/agent-vm/src/derive-phases.js';
import {type LaunchNote, rememberLaunch} from '../../../../plugins/agent-vm/src/launch-notes.js';
import {parseProfileLine} from '../../../../plugins/agent-vm/src/profile-lines.js';
import {makeLaunch} from './launch.js';

const moment = (at: number): Moment => at as Moment;

/** Lines as `[milliseconds after the start, text]`; the start is at 1000. */
const lines = (...items: readonly (readonly [number, string])[]): readonly ObservedLine[] =>
  items.map(([at, text]) => ({at: moment(1000 + at), text}));

const derive = (id: string, seen: readonly ObservedLine[], end: number, argv = ['shell', 'x']): PhaseMarks =>
  derivePhases(makeLaunch({id, argv}), {
    startedAt: moment(1000),
    endedAt: moment(1000 + end),
    lines: seen,
    milestones: [],
  });

/** Spans as `name: from-to` in milliseconds after the start. */
const spans = (marks: PhaseMarks): readonly string[] =>
  marks.spans.map(({name, from, to}) => `${name}: ${from - 1000}-${to - 1000}`);

const note = (changes: Partial<LaunchNote>): LaunchNote => ({
  release: 28,
  checkIsOff: false,
  identityIsReady: false,
  identityFile: undefined,
  ...changes,
});

const preBoot = lines(
  [10, '==> agent-vm-0123456789ab-77 in /work (state: /s/0123456789ab)'],
  [910, '==> GitHub repo scope (1): a/b'],
  [2220, '==> Git author identity: Ann <a@b> (gh:ann)'],
  [2230, '==> Booting sandbox from img (2048 MiB, 2 vCPU; first run pulls layers, otherwise ~3s)'],
);
const running = lines([3750, '==> Running bash in sandbox (no TTY; streaming output)']);
const whole = [...preBoot, ...running, ...lines([4050, '==> Stopping sandbox'])];

afterEach(() => {
  for (const id of ['a', 'b', 'c']) rememberLaunch(id, note({release: 14}));
});

describe('the phases of an agent-vm launch', () => {
  test('end where agent-vm says so', ({expect}) => {
    const marks = derive('unknown', whole, 4100);
    expect(marks).toMatchObject({bootAt: 3230, runAt: 4750, teardownAt: 5050});
    expect(marks.milestones.map(({name}) => name)).toEqual([
      'session-ready',
      'repos-known',
      'identity-known',
      'sandbox-booting',
      'sandbox-running',
      'sandbox-stopping',
    ]);
  });

  test("carry the published profile's rows, and do not split what cannot be split", ({expect}) => {
    expect(spans(derive('unknown', whole, 4100))).toEqual([
      'session+reap: 0-10',
      'update-check+repo-detect: 10-910',
      'secrets+identity: 910-2220',
      'build: 2220-2230',
      'create: 2230-3750',
      'run: 3750-4050',
      'stop+remove: 4050-4100',
    ]);
  });

  test('show repo-detect alone where the check was off or runs beside it', ({expect}) => {
    rememberLaunch('a', note({release: 17, checkIsOff: true}));
    expect(spans(derive('a', whole, 4100))).toContain('repo-detect: 10-910');
    rememberLaunch('b', note({release: 20}));
    expect(spans(derive('b', whole, 4100))).toContain('repo-detect: 10-910');
    rememberLaunch('c', note({release: 18}));
    expect(spans(derive('c', whole, 4100))).toContain('update-check+repo-detect: 10-910');
    expect(spans(derive('unknown', whole, 4100, ['shell', '--no-update-check', 'x']))).toContain('repo-detect: 10-910');
  });

  test('show update-check and repo-detect apart when the banner stands between them', ({expect}) => {
    const banner = lines(
      [880, '==> A newer image is available in the registry (cached aaaaaaaaaaaa, registry bbbbbbbbbbbb)'],
      [886, '==> Run `agent-vm pull` to fetch it. Continuing with the cached image.'],
    );
    const seen = [...whole.slice(0, 1), ...banner, ...whole.slice(1)];
    expect(spans(derive('unknown', seen, 4100))).toEqual(
      expect.arrayContaining(['update-check: 10-886', 'repo-detect: 886-910']),
    );
  });

  test('show secrets alone when the identity was ready, and both when a line tells them apart', ({expect}) => {
    rememberLaunch('a', note({identityIsReady: true}));
    expect(spans(derive('a', whole, 4100))).toContain('secrets: 910-2220');
    const keys = lines([950, '==> OpenCode API keys: zai']);
    const seen = [...whole.slice(0, 2), ...keys, ...whole.slice(2)];
    expect(spans(derive('unknown', seen, 4100))).toEqual(
      expect.arrayContaining(['secrets: 910-950', 'gh api user: 950-2220']),
    );
  });

  test('take create, stop and remove from [profile] lines where they are', ({expect}) => {
    const seen = [
      ...preBoot,
      ...lines([3735, '[profile] create: 1.497561083s']),
      ...running,
      ...lines(
        [4049, '[profile] run:    300ms'],
        [4050, '==> Stopping sandbox'],
        [4099, '[profile] stop:   48.9ms'],
        [4100, '[profile] remove: 1.2ms'],
      ),
    ];
    const found = derive('unknown', seen, 4101).spans;
    const of = (name: string): number => {
      const span = found.find((candidate) => candidate.name === name);
      return span === undefined ? Number.NaN : span.to - span.from;
    };
    expect(of('create')).toBeCloseTo(1497.561);
    expect(of('api-check')).toBeCloseTo(1520 - 1497.561);
    expect(of('run')).toBeCloseTo(300);
    expect(of('stop')).toBeCloseTo(48.9);
    expect(of('remove')).toBeCloseTo(1.2);
  });

  test('believe nothing that the guest could have written', ({expect}) => {
    const lies = lines(
      [3750, '[profile] create: 1ns'],
      [3800, '==> Booting sandbox from elsewhere'],
      [3810, '==> Stopping sandbox'],
      [3811, '[profile] stop: 1ms'],
      [3812, '[profile] remove: 1ms'],
      [3820, '==> agent-vm-ffff-1 in /'],
    );
    const seen = [...preBoot, ...running, ...lies, ...lines([4050, '==> Stopping sandbox'])];
    expect(spans(derive('unknown', seen, 4100))).toEqual(spans(derive('unknown', whole, 4100)));
    expect(derive('unknown', seen, 4100)).toMatchObject({bootAt: 3230, runAt: 4750, teardownAt: 5050});
  });

  test("a line that is not quite agent-vm's does not end the run", ({expect}) => {
    const seen = [...whole, ...lines([4060, '==> Stopping sandboxes of all kinds'])];
    expect(derive('unknown', seen, 4100)).toMatchObject({teardownAt: 5050});
  });

  test('read through colours and the carriage returns of raw mode', ({expect}) => {
    const dressed = whole.map(({at, text}) => ({at, text: `\u001b[1;32m${text}\u001b[0m\r`}));
    expect(derive('unknown', dressed, 4100)).toEqual(derive('unknown', whole, 4100));
  });

  test('know the line of a session with a terminal', ({expect}) => {
    const seen = [...preBoot, ...lines([3750, '==> Attaching to claude'], [4050, '==> Stopping sandbox'])];
    expect(derive('unknown', seen, 4100)).toMatchObject({runAt: 4750, teardownAt: 5050});
  });

  test('lie at the end where they were not reached, so that a failed boot is not a run', ({expect}) => {
    expect(derive('unknown', preBoot, 3000)).toMatchObject({bootAt: 3230, runAt: 4000, teardownAt: 4000});
    expect(derive('unknown', preBoot.slice(0, 1), 3000)).toMatchObject({bootAt: 4000, runAt: 4000});
    expect(derive('unknown', [...preBoot, ...running], 9000)).toMatchObject({runAt: 4750, teardownAt: 10_000});
  });

  test('are not claimed at all when agent-vm said nothing', ({expect}) => {
    expect(derive('unknown', [], 50)).toEqual({milestones: [], spans: []});
  });
});

describe('a [profile] line', () => {
  for (const [text, duration] of [
    ['[profile] create: 1.497561083s', 1497.561083],
    ['[profile] run:    38.201944ms', 38.201944],
    ['[profile] stop:   48.9µs', 0.0489],
    ['[profile] remove: 812ns', 0.000812],
    ['\u001b[2m[profile] remove: 2s\u001b[0m\r', 2000],
  ] as const) {
    test(`${JSON.stringify(text)} is ${duration} ms`, ({expect}) => {
      expect(parseProfileLine(text)?.duration).toBeCloseTo(duration, 9);
    });
  }

  test('of another kind is none', ({expect}) => {
    for (const text of [
      '[profile] boot: 1s',
      '[profile] create: fast',
      '[profile] create: 1m',
      ' [profile] create: 1s',
      '[profile] create: 1s!',
    ]) {
      expect(parseProfileLine(text)).toBeUndefined();
    }
  });
});
