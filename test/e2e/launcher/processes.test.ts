import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, beforeEach, describe, it} from 'vitest';
import {endProcess, quoted} from '../../rig/launch-rig.js';
import {haveLauncher, LauncherBench, planning, sanitizedLauncher} from './scripted-daemon.js';

/** The state letter of a process (`R`, `S`, `T`, `Z`), or '' when it is gone. */
const stateOf = (pid: number): string => {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
};

/** Nothing tells a test of another process' state. */
const until = async (holds: () => boolean, what: string): Promise<void> => {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (holds()) return;
    await wait(10);
  }
  throw new Error(`it never came to this: ${what}`);
};

const isStopped = (pid: number): boolean => stateOf(pid) === 'T';
const isGone = (pid: number): boolean => ['', 'Z'].includes(stateOf(pid));

/** The first line that a process writes. */
const firstLine = async ({stdout}: ChildProcess): Promise<string> => {
  const [chunk] = (await once(stdout!, 'data')) as [Buffer];
  const [line = ''] = chunk.toString().split('\n');
  // This process is the daemon as well: on a busy machine it may have been too slow.
  if (line.startsWith('node front:')) throw new Error(line);
  return line;
};

/** Tells its pid, counts a signal, and 300 ms after the first says how many there were. */
const counting = (signal: string): string[] => [
  'bash',
  '-c',
  `count=0; trap 'count=$((count + 1))' ${signal}; echo $$; while [ $count = 0 ]; do sleep 0.02; done; for i in 1 2 3; do sleep 0.1; done; echo "count $count"`,
];

const endOf = async (front: ChildProcess): Promise<{readonly code: number | null; readonly signal: string | null}> => {
  const [code, signal] = (await once(front, 'exit')) as [number | null, string | null];
  return {code, signal};
};

describe.skipIf(!haveLauncher())('the launcher and its target', () => {
  let bench: LauncherBench;
  const started: ChildProcess[] = [];
  beforeEach(async () => {
    bench = await LauncherBench.create();
  });
  afterEach(async ({expect}) => {
    for (const {pid} of started.splice(0)) if (pid !== undefined) endGroup(pid);
    expect((await readdir(bench.root)).filter((name) => name.startsWith('found'))).toEqual([]);
    await bench[Symbol.asyncDispose]();
  });

  const start = (args: readonly string[]): ChildProcess => {
    const front = bench.start(args);
    started.push(front);
    return front;
  };

  describe('signals', () => {
    it.for(['INT', 'TERM', 'HUP', 'USR1', 'USR2', 'QUIT', 'ALRM', 'WINCH'])(
      'SIG%s comes once, whether sent to the group or to the launcher alone',
      async (signal, {expect}) => {
        for (const receiver of ['group', 'launcher'] as const) {
          const front = start(['run', '--', ...counting(signal)]);
          await firstLine(front);
          const told = firstLine(front);
          process.kill(receiver === 'group' ? -(front.pid ?? 0) : (front.pid ?? 0), `SIG${signal}`);
          expect(await told, receiver).toBe('count 1');
          await endOf(front);
        }
      },
    );

    it('come once to each of many at the same time', async ({expect}) => {
      const fronts: ChildProcess[] = [];
      for (let count = 0; count < 12; count += 1) {
        const front = start(['run', '--', ...counting('TERM')]);
        await firstLine(front);
        fronts.push(front);
      }
      const told = Promise.all(fronts.map(firstLine));
      for (const [index, {pid = 0}] of fronts.entries()) process.kill(index % 2 === 0 ? -pid : pid, 'SIGTERM');
      expect(new Set(await told)).toEqual(new Set(['count 1']));
    });

    it('end a target that does not care for them, and us in the same way', async ({expect}) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGALRM'] as const) {
        const front = start(['run', '--', 'sh', '-c', 'echo $$; exec sleep 1000']);
        await firstLine(front);
        process.kill(front.pid ?? 0, signal);
        expect(await endOf(front)).toEqual({code: null, signal});
      }
    });

    it('to the group reach a target that has left the group', async ({expect}) => {
      const front = start(['run', '--', 'setsid', 'sh', '-c', 'echo $$; exec sleep 1000']);
      await firstLine(front);
      process.kill(-(front.pid ?? 0), 'SIGTERM');
      expect(await endOf(front)).toEqual({code: null, signal: 'SIGTERM'});
    });

    it('leave no core file of ours', async ({expect}) => {
      const {signal} = await bench.run(['run', '--', 'sh', '-c', 'ulimit -c 0; kill -ABRT $$']);
      expect(signal).toBe('SIGABRT');
      expect((await readdir(join(bench.root, 'work'))).filter((name) => name.includes('core'))).toEqual([]);
    });

    it('that the caller ignores or blocks are ignored and blocked in the target, SIGCHLD too', async ({expect}) => {
      const probe = `grep -E '^Sig(Ign|Blk)' /proc/self/status`;
      const python = `import os,signal,sys
for s in (signal.SIGHUP, signal.SIGCHLD, signal.SIGTSTP, signal.SIGPIPE): signal.signal(s, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGWINCH])
os.execv(sys.argv[1], sys.argv[1:])`;
      const show = async (argv: readonly string[]): Promise<string> => {
        const child = spawn('python3', ['-c', python, ...argv], {
          env: bench.env,
          cwd: bench.root,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
        await once(child, 'close');
        return text;
      };
      const direct = await show(['/bin/sh', '-c', `exec ${probe}`]);
      const through = await show([
        sanitizedLauncher,
        `--at=${bench.root}/bin`,
        'run',
        '--',
        '/bin/sh',
        '-c',
        `exec ${probe}`,
      ]);
      expect(through).toBe(direct);
      expect(direct).toContain('SigBlk');
    });
  });

  describe('stopping', () => {
    it('of the target stops us as well, and continuing us continues it', async ({expect}) => {
      const front = start(['run', '--', 'sh', '-c', 'echo $$; exec sleep 1000']);
      const target = Number(await firstLine(front));
      const pid = front.pid ?? 0;
      process.kill(target, 'SIGSTOP');
      await until(() => isStopped(target) && isStopped(pid), 'both are stopped');
      process.kill(pid, 'SIGCONT');
      await until(() => !isStopped(target) && !isStopped(pid), 'both go on');
      process.kill(target, 'SIGTERM');
      expect(await endOf(front)).toEqual({code: null, signal: 'SIGTERM'});
    });

    it('of the group and its continuing leave both running', async ({expect}) => {
      const front = start(['run', '--', 'sh', '-c', 'echo $$; exec sleep 1000']);
      const target = Number(await firstLine(front));
      const pid = front.pid ?? 0;
      for (let round = 0; round < 5; round += 1) {
        process.kill(-pid, 'SIGSTOP');
        await until(() => isStopped(target) && isStopped(pid), 'both are stopped');
        process.kill(-pid, 'SIGCONT');
        await until(() => !isStopped(target) && !isStopped(pid), 'both go on');
      }
      process.kill(pid, 'SIGTERM');
      expect(await endOf(front)).toEqual({code: null, signal: 'SIGTERM'});
    });

    it('of the target, continued by somebody else, is followed when we are continued', async ({expect}) => {
      const front = start(['run', '--', 'sh', '-c', 'echo $$; sleep 0.2; exit 5']);
      const target = Number(await firstLine(front));
      const pid = front.pid ?? 0;
      process.kill(target, 'SIGSTOP');
      await until(() => isStopped(pid), 'we are stopped');
      process.kill(target, 'SIGCONT');
      await until(() => isGone(target), 'the target has ended');
      process.kill(pid, 'SIGCONT');
      expect(await endOf(front)).toEqual({code: 5, signal: null});
    });
  });

  describe('killed hard', () => {
    it('leaves the target running and nothing else, and the daemon sees it go', async ({expect}) => {
      const front = start(['run', '--', 'sh', '-c', 'echo $$; sleep 0.5; echo went on; exec sleep 1000']);
      const target = Number(await firstLine(front));
      const [peer] = bench.peers;
      await until(() => peer!.progress.length > 0, 'the start is reported');
      const closed = once(peer!.socket, 'close');
      const pid = front.pid ?? 0;
      const others = childrenOf(pid).filter((child) => child !== target);
      expect(others.length).toBe(1); // the witness
      process.kill(pid, 'SIGKILL');
      await closed;
      expect(peer!.progress.map(({kind}) => kind)).toEqual(['started']);
      expect(await firstLine(front)).toBe('went on');
      await until(() => others.every(isGone), 'the witness has ended');
      expect(isGone(target)).toBe(false);
      endProcess(target);
    });
  });

  describe('descriptors', () => {
    const numbers = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 200];
    const throughShell = async (
      redirections: string,
      probe: string,
      front = '"$0" --at="$1" run --',
    ): Promise<string> => {
      const line = `${front} /bin/bash -c ${quoted(probe)} ${redirections}`;
      const child = spawn('/bin/bash', ['-c', line, sanitizedLauncher, join(bench.root, 'bin')], {
        env: bench.env,
        cwd: join(bench.root, 'work'),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      await once(child, 'close');
      return text;
    };

    it('3 to 15 and 200 reach the target by number, and none of ours does', async ({expect}) => {
      const redirections = numbers.map((number) => `${number}<<<'number ${number}'`).join(' ');
      const probe = `for fd in ${numbers.join(' ')}; do read -r -u $fd line; echo "$line"; done; exec ls /proc/self/fd`;
      const lines = (await throughShell(redirections, probe)).trim().split('\n');
      expect(lines.slice(0, numbers.length)).toEqual(numbers.map((number) => `number ${number}`));
      const open = lines.slice(numbers.length).map(Number);
      const direct = (await throughShell(redirections, probe, '')).trim().split('\n').slice(numbers.length).map(Number);
      expect(open).toEqual(direct);
    });

    it.for([
      ['<&-', '0'],
      ['2>&-', '2'],
      ['<&- 2>&-', '0 2'],
    ] as const)('closed by %s stay closed', async ([redirections, closed], {expect}) => {
      const probe = `for fd in 0 1 2; do [ -e /proc/self/fd/$fd ] || echo -n "$fd "; done`;
      expect((await throughShell(redirections, probe)).trim()).toBe(closed);
    });

    it('1 closed stays closed', async ({expect}) => {
      await throughShell('>&-', `[ -e /proc/self/fd/1 ] || : >closed`);
      expect(existsSync(join(bench.root, 'work', 'closed'))).toBe(true);
    });

    it('that the target closes are closed: a reader sees the end while the target goes on', async ({expect}) => {
      const front = start(['run', '--', 'bash', '-c', 'echo $$; exec >&-; exec sleep 1000 2>&-']);
      const target = Number(await firstLine(front));
      await once(front.stdout!.resume(), 'end');
      await once(front.stderr!.resume(), 'end');
      expect(isGone(target)).toBe(false);
    });

    it('of a stderr that is observed are the target’s own pipe, and ours is passed on', async ({expect}) => {
      bench.serve(planning({observe: ['==> ']}));
      const front = start(['run', '--', 'bash', '-c', 'echo "==> now" >&2; echo out; sleep 0.1; exit 3']);
      const [chunk] = (await once(front.stderr!, 'data')) as [Buffer];
      expect(chunk.toString()).toBe('==> now\n');
      expect(await endOf(front)).toEqual({code: 3, signal: null});
    });

    it('whose reader has left end the target as they would have', async ({expect}) => {
      bench.serve(planning({observe: ['==> ']}));
      const front = start(['run', '--', 'bash', '-c', 'while :; do echo line >&2 || exit 9; done']);
      await once(front.stderr!, 'data');
      front.stderr!.destroy();
      expect(await endOf(front)).toEqual({code: null, signal: 'SIGPIPE'});
    });
  });
});

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

const endGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // gone
  }
};
