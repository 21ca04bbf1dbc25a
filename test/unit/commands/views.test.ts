import {describe, it} from 'vitest';
import type {StoredAnswer} from '../../../src/model/inspection.js';
import type {CacheKey} from '../../../src/model/units.js';
import type {DaemonStatus} from '../../../src/protocol/asks.js';
import {protocolVersion} from '../../../src/protocol/messages.js';
import {buildId} from '../../../src/system/build-id.js';
import {answerDetails, answerList, clearedText, refreshedList} from '../../../src/views/cache.js';
import {daemonStartedView, daemonStatusView, daemonStoppedView} from '../../../src/views/daemon.js';
import {doctorText} from '../../../src/views/doctor.js';
import {failureView} from '../../../src/views/failure.js';
import {logEventView} from '../../../src/views/log-event.js';
import {settingList, settingText} from '../../../src/views/settings.js';
import {fateText, inspectedLaunchText} from '../../../src/views/steps.js';

const status: DaemonStatus = {
  pid: 42,
  build: buildId,
  protocol: protocolVersion,
  socket: '/run/x.sock',
  uptime: 65_000,
  ready: {listening: 50, planning: null},
  launches: {running: 1, served: 7},
  answers: {keptFresh: 1, nextRefreshIn: 3_600_000},
  memory: {rss: 52_428_800},
  cpu: {user: 200_000, system: 50_000},
  idleExitIn: null,
  node: 'v20.19.0',
};

const hostile = 'x\u001b[31m\u202e\ny';
const shown = 'x\\x1b[31m\\u202e\\x0ay';

describe('daemon views', () => {
  it('name one version where both are the same', ({expect}) => {
    expect(daemonStatusView(status)).toContain(`build     ${buildId}\n`);
    expect(daemonStatusView(status)).not.toContain('leaves in');
  });

  it('name both versions where build or protocol differ', ({expect}) => {
    for (const other of [{build: '9.0.0+1.x'}, {protocol: 99}]) {
      const text = daemonStatusView({...status, ...other});
      expect(text).toContain(`this command: ${buildId}, protocol ${protocolVersion}`);
      expect(text).toContain(`protocol ${other.protocol ?? protocolVersion}`);
    }
  });

  it('show nothing that a terminal would act upon', ({expect}) => {
    const text = daemonStatusView({...status, build: hostile, socket: hostile, node: hostile});
    expect(text.split(shown)).toHaveLength(4);
    expect(daemonStartedView({came: 'kept', status: {...status, build: hostile}})).toContain(shown);
  });

  it('tell how a daemon came and went', ({expect}) => {
    expect(daemonStartedView({came: 'started', status})).toBe('The daemon is ready: process 42.');
    expect(daemonStartedView({came: 'kept', status})).toContain('It follows 1 launch.');
    expect(daemonStartedView({came: 'kept', status: {...status, launches: {running: 0, served: 0}}})).toContain(
      'It is newer.',
    );
    expect(daemonStoppedView({how: 'asked', pid: 42})).toBe('The daemon (process 42) has stopped.');
    expect(daemonStoppedView({how: 'asked', pid: null})).toBe('The daemon has stopped.');
    expect(daemonStoppedView({how: 'killed', pid: 42})).toContain('SIGKILL');
  });
});

describe('failures', () => {
  it('of a daemon that cannot be talked to name both versions', ({expect}) => {
    const unknown = failureView({reason: 'daemon-unreachable', detail: 'it is silent', daemon: undefined});
    expect(unknown.message).toContain('did not say its version');
    expect(unknown.message).toContain(buildId);
    const known = failureView({
      reason: 'daemon-unreachable',
      detail: 'it is silent',
      daemon: {protocol: 9, build: hostile},
    });
    expect(known.message).toContain(`It speaks protocol 9 and is of build ${shown}`);
  });

  it('of a daemon that is not running say why its last start failed', ({expect}) => {
    const quiet = failureView({reason: 'daemon-not-running', lastStart: undefined});
    expect(quiet.message).toBe('The daemon is not running.');
    const failed = failureView({reason: 'daemon-not-running', lastStart: {at: 0, detail: hostile}});
    expect(failed.message).toBe(
      `The daemon is not running. The last start failed at 1970-01-01T00:00:00.000Z: ${shown}.`,
    );
  });

  it('of a wrong command line end with 2, those to be mended with 1', ({expect}) => {
    expect(failureView({reason: 'unknown-verb', verb: 'fly', known: ['run']})).toMatchObject({
      exit: 2,
      suggestions: ['There are: run.'],
    });
    expect(failureView({reason: 'no-answer-stored', wanted: 'x', known: []})).toMatchObject({exit: 1});
  });
});

const answer: StoredAnswer = {
  key: 'plugin/step#0123456789abcdef' as CacheKey,
  step: 'plugin/step',
  state: 'stale',
  readAt: '2026-01-01T00:00:00.000Z',
  freshUntil: '2026-01-01T01:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
  ageMs: 7_200_000,
  freshForMs: -3_600_000,
  keptForMs: 79_200_000,
  costMs: 1290,
  sizeBytes: 2048,
  private: false,
  files: ['/home/x/.gitconfig'],
  value: {name: hostile},
};

describe('cache views', () => {
  it('show an answer in one row, without times that are over', ({expect}) => {
    const row = answerList([answer])
      .split('\n')
      .at(-1)
      ?.split('|')
      .map((cell) => cell.trim());
    expect(row?.slice(1, -1)).toEqual([
      'plugin/step',
      '01234567',
      'stale',
      '2.0 h',
      '–',
      '22.0 h',
      '1,290 ms',
      '2 KiB',
      'shared',
    ]);
    expect(answerList([])).toBe('No answer is stored.');
  });

  it('show a value with escapes, one line for each of its own', ({expect}) => {
    const text = answerDetails([answer]);
    expect(text).toContain('"name": "x\\u001b[31m\\u202e\\ny"');
    expect(text).toContain('depends  on /home/x/.gitconfig');
  });

  it('say what became of a refresh and of a clearing', ({expect}) => {
    const refreshed = refreshedList([
      {step: 'a/b', tookMs: 12.5, ok: true},
      {step: 'c/d', tookMs: 1, ok: false, reason: 'timed-out', detail: hostile},
    ]);
    expect(refreshed).toBe(`a/b: asked again in 13 ms\nc/d: no new answer (timed-out): ${shown}`);
    expect([clearedText(0), clearedText(1), clearedText(2)]).toEqual([
      'No answer was stored.',
      'Cleared 1 answer.',
      'Cleared 2 answers.',
    ]);
  });
});

describe('the view of steps', () => {
  it('puts every fate into words', ({expect}) => {
    expect(fateText({kind: 'stored', state: 'fresh', ageMs: 10_800_000, costMs: 1290})).toBe(
      'fresh, 3.0 h old; spares 1,290 ms',
    );
    expect(fateText({kind: 'stored', state: 'stale', ageMs: 90_000_000, costMs: 9})).toContain('refreshed behind');
    expect(fateText({kind: 'resting', why: 'down', until: '2026-01-01T10:20:30.000Z'})).toBe(
      'not asked until 10:20:30 UTC: down',
    );
    expect(fateText({kind: 'left-out'})).toBe('left out by --without');
  });

  it('parts what runs from what does not, and ends with the faults', ({expect}) => {
    const common = {kind: 'lookup', barrier: 'run', limitMs: 3000} as const;
    const text = inspectedLaunchText({
      verb: 'run',
      runtime: 'process',
      cwd: `/${hostile}`,
      steps: [
        {...common, step: 'a/b', fate: {kind: 'asked', why: 'never asked'}},
        {...common, step: 'c/d', fate: {kind: 'not-needed'}},
      ],
      faults: [hostile],
    });
    expect(text.indexOf('a/b')).toBeLessThan(text.indexOf('Steps that do not run'));
    expect(text.indexOf('c/d')).toBeGreaterThan(text.indexOf('Steps that do not run'));
    expect(text.endsWith(`! ${shown}`)).toBe(true);
    expect(text).toContain(`/${shown}`);
  });
});

describe('the view of settings', () => {
  it('writes values as a command line would have them', ({expect}) => {
    expect([
      settingText(true),
      settingText('4s'),
      settingText(['a', 'b']),
      settingText([1, 2]),
      settingText({a: 1}),
      settingText(null),
    ]).toEqual(['true', '4s', 'a,b', '[1,2]', '{"a":1}', 'null']);
    expect(settingText(hostile)).toBe(shown);
  });

  it('names the variable that decides', ({expect}) => {
    const setting = {
      name: 'cache',
      value: false,
      origin: 'environment',
      variable: 'BOOTCUT_NO_CACHE',
      description: 'd',
    } as const;
    expect(settingList([setting], [hostile])).toContain('| BOOTCUT_NO_CACHE |');
    expect(settingList([setting], [hostile])).toContain(`! ${shown}`);
  });
});

describe('the view of doctor', () => {
  it('counts faults and warnings, and shows advice below what it is for', ({expect}) => {
    const text = doctorText([
      {area: 'a', name: 'x', state: 'ok', text: hostile},
      {area: 'b', name: 'y', state: 'fault', text: 'broken', advice: 'Mend it.'},
      {area: 'c', name: 'z', state: 'warning', text: 'odd'},
    ]);
    expect(text.split('\n').map((line) => line.trim())).toEqual([
      `ok       a: x  ${shown}`,
      'FAULT    b: y  broken',
      'Mend it.',
      'warning  c: z  odd',
      '',
      '1 fault, 1 warning.',
    ]);
    expect(doctorText([{area: 'a', name: 'x', state: 'ok', text: 't'}])).toContain('Everything is in order.');
  });
});

describe('the view of a log event', () => {
  it('is one line, but for the lines of a stack', ({expect}) => {
    const at = new Date(2026, 0, 2, 3, 4, 5).toISOString();
    expect(logEventView({at, pid: 7, event: 'serving', build: 'b', list: [1]})).toBe(
      '2026-01-02 03:04:05  7  serving  build=b  list=[1]',
    );
    expect(logEventView({at, pid: 7, event: 'internal-error', detail: 'Error: x\n    at y'})).toBe(
      '2026-01-02 03:04:05  7  internal-error  detail=Error: x\n        at y',
    );
    expect(logEventView({text: '{"cut \u001b'})).toBe('{"cut \\x1b');
    expect(logEventView({at: 'when?', event: 5})).toBe('when?  5');
  });
});
