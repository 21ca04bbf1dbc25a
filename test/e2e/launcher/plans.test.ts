import {once} from 'node:events';
import {readdir} from 'node:fs/promises';
import {setImmediate as turn} from 'node:timers/promises';
import {afterEach, beforeEach, describe, it} from 'vitest';
import type {Progress} from '../../../src/protocol/progress-codec.js';
import {haveLauncher, LauncherBench, type Peer, planning} from './scripted-daemon.js';

const withoutTimes = (report: Progress): object => {
  if (report.kind === 'ready') return report;
  const {at: _, ...rest} = report;
  if (rest.kind !== 'ended') return rest;
  const {doneAt: _doneAt, ...end} = rest;
  return end;
};

describe.skipIf(!haveLauncher())('the launcher and a plan', () => {
  let bench: LauncherBench;
  beforeEach(async () => {
    bench = await LauncherBench.create();
  });
  afterEach(async ({expect}) => {
    expect((await readdir(bench.root)).filter((name) => name.startsWith('found'))).toEqual([]);
    await bench[Symbol.asyncDispose]();
  });

  it('sends the request as the daemon reads it', async ({expect}) => {
    await bench.run(['run', '--', 'true', '', 'ü', 'a b'], {env: {ODD: 'x=y', EMPTY: ''}, input: ''});
    const request = bench.peers[0]?.request;
    expect(request?.argv.map(String)).toEqual(['run', '--', 'true', '', 'ü', 'a b']);
    const env = request?.env.map(String) ?? [];
    expect(env).toContain('ODD=x=y');
    expect(env).toContain('EMPTY=');
    expect(env.filter((item) => item.startsWith('BOOTCUT_'))).toEqual([]);
    expect(String(request?.cwd)).toBe(`${bench.root}/work`);
    expect(request?.stdio).toEqual(['socket', 'socket', 'socket']); // libuv's pipes
    expect(request).toMatchObject({front: 'launcher', mergedOutput: false});
    const {execAt = 0, frontAt = 0, sentAt = 0} = request ?? {};
    const now = Number(process.hrtime.bigint()) / 1e6;
    expect(execAt).toBeLessThanOrEqual(frontAt);
    expect(frontAt).toBeLessThanOrEqual(sentAt);
    expect(now - sentAt).toBeGreaterThan(0);
    expect(sentAt - execAt).toBeLessThan(1000);
  });

  it('says what stdin, stdout and stderr are, and when two of them are one', async ({expect}) => {
    const line = (rest: string): string[] => ['run', '--', 'sh', '-c', `"$0" --at="$1" run -- true ${rest}`];
    const inner = async (rest: string): Promise<unknown> => {
      const {sanitizedLauncher} = await import('./scripted-daemon.js');
      await bench.run([...line(rest), sanitizedLauncher, `${bench.root}/bin`]);
      const {stdio, mergedOutput} = bench.peers.at(-1)?.request ?? {};
      return {stdio, mergedOutput};
    };
    expect(await inner('</dev/null >file 2>other')).toEqual({stdio: ['device', 'file', 'file'], mergedOutput: false});
    expect(await inner('<&- >file 2>&1')).toEqual({stdio: ['closed', 'file', 'file'], mergedOutput: true});
    expect(await inner('>&- 2>&-')).toEqual({stdio: ['device', 'closed', 'closed'], mergedOutput: false});
    expect(await inner('2>&1 | cat')).toEqual({stdio: ['device', 'pipe', 'pipe'], mergedOutput: true});
  });

  it('puts its edits into the caller’s own list', async ({expect}) => {
    bench.serve(
      planning({
        argv: [
          {kind: 'literal', text: 'printf'},
          {kind: 'literal', text: '<%s>'},
          {kind: 'keep', from: 1, to: 3},
          {kind: 'literal', text: ''},
          {kind: 'literal', text: 'ü\n'},
          {kind: 'keep', from: 0, to: 1},
        ],
      }),
    );
    expect((await bench.run(['shell', 'one', 'two', 'three'])).stdout).toBe('<one><two><><ü\n><shell>');
  });

  it('edits the environment and leaves its order alone', async ({expect}) => {
    bench.serve(
      planning({
        env: [
          {kind: 'unset', name: 'GONE'},
          {kind: 'set', name: 'NEW', value: 'a=b'},
          {kind: 'set', name: 'OLD', value: ''},
          {kind: 'prepend', name: 'LIST', value: '/first'},
          {kind: 'prepend', name: 'LIST', value: '/zeroth'},
          {kind: 'prepend', name: 'ALONE', value: '/only'},
          {kind: 'unset', name: 'NEVER'},
        ],
      }),
    );
    const {stdout} = await bench.run(['run', '--', '/usr/bin/env'], {
      env: {GONE: '1', GONE_NOT: '2', OLD: 'old', LIST: '/rest:'},
    });
    const lines = stdout.split('\n').filter((line) => /^(GONE|NEW|OLD|LIST|ALONE|BOOTCUT)/.test(line));
    expect(lines).toEqual(['GONE_NOT=2', 'NEW=a=b', 'OLD=', 'LIST=/zeroth:/first:/rest:', 'ALONE=/only']);
  });

  it('looks a command up by the target’s PATH, and runs another file under its name', async ({expect}) => {
    bench.serve(planning({env: [{kind: 'set', name: 'PATH', value: '/nowhere'}]}));
    expect(await bench.run(['run', '--', 'env'])).toMatchObject({
      status: 127,
      stderr: 'bootcut: env: command not found\n',
    });
    bench.serve(planning({executable: '/bin/sh'}));
    expect((await bench.run(['run', '--', 'other', '-c', 'echo $0'])).stdout).toBe('other\n');
  });

  it('runs a script without an interpreter’s name as a shell would', async ({expect}) => {
    const {writeFile} = await import('node:fs/promises');
    await writeFile(`${bench.root}/work/plain`, 'echo "$0 $1"; exit 4\n', {mode: 0o755});
    expect(await bench.run(['run', '--', './plain', 'x'])).toMatchObject({status: 4, stdout: './plain x\n'});
  });

  it('says its notice once, on stderr, before the target', async ({expect}) => {
    bench.serve(planning({notice: 'bootcut: news\n'}));
    expect(await bench.run(['run', '--', 'sh', '-c', 'echo out; echo err >&2'])).toMatchObject({
      stdout: 'out\n',
      stderr: 'bootcut: news\nerr\n',
    });
  });

  it('refuses with the plan’s words and status, and starts nothing', async ({expect}) => {
    bench.serve(planning({argv: [], refusal: {text: 'bootcut run: no\n', status: 2}}));
    expect(await bench.run(['run', '--', 'echo', 'started'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'bootcut run: no\n',
    });
  });

  it('reports start and end', async ({expect}) => {
    expect((await bench.run(['run', '--', 'sh', '-c', 'exit 7'])).status).toBe(7);
    await bench.run(['run', '--', 'sh', '-c', 'kill -TERM $$']);
    await bench.run(['run', '--', 'no-such-program-xyz']);
    const reports = bench.peers.map(({progress}) => progress.map(withoutTimes));
    expect(reports[0]).toEqual([
      {kind: 'started', pid: expect.any(Number)},
      {kind: 'ended', ending: 'exited', code: 7},
    ]);
    expect(reports[1]?.[1]).toEqual({kind: 'ended', ending: 'killed', code: 15});
    expect(reports[2]).toEqual([{kind: 'ended', ending: 'not-started', code: 127}]);
    for (const {progress} of bench.peers) {
      const last = progress.at(-1);
      expect(last?.kind === 'ended' ? last.doneAt : 0).toBeGreaterThanOrEqual(
        last?.kind === 'ended' ? last.at : Number.NaN,
      );
    }
  });

  it('passes stderr on byte for byte and reports the lines that the plan names', async ({expect}) => {
    bench.serve(planning({observe: ['==> ', '[profile] ']}));
    const script = `printf '==> one\\nplain\\n==' >&2; printf '> two\\n\\377\\000x\\n[profile] run: 1s\\n' >&2; head -c 200000 /dev/zero | tr '\\0' y >&2; printf '\\n==> last' >&2`;
    const {stderr} = await bench.run(['run', '--', 'sh', '-c', script]);
    expect(stderr.length).toBe(
      '==> one\nplain\n==> two\n\ufffd\0x\n[profile] run: 1s\n'.length + 200_000 + '\n==> last'.length,
    );
    const texts = bench.peers[0]?.progress.flatMap((report) => (report.kind === 'line' ? [report.text] : []));
    expect(texts).toEqual(['==> one', '==> two', '[profile] run: 1s', '==> last']);
  });

  it('gives a target that floods stderr with lines to report no less than all of it', async ({expect}) => {
    bench.serve(planning({observe: ['==> ']}));
    const {stderr, status} = await bench.run(['run', '--', 'sh', '-c', 'yes "==> line" | head -n 50000 >&2; exit 3']);
    expect({lines: stderr.split('\n').length - 1, status}).toEqual({lines: 50_000, status: 3});
  });

  it('ends although something that the target left behind holds its stderr', async ({expect}) => {
    bench.serve(planning({observe: ['==> ']}));
    const began = performance.now();
    const front = bench.start(['run', '--', 'sh', '-c', 'sleep 5 & exit 6']);
    const [status] = await new Promise<[number | null]>((resolve) => {
      front.once('exit', (code) => resolve([code]));
    });
    expect(status).toBe(6);
    expect(performance.now() - began).toBeLessThan(4000);
    if (front.pid !== undefined) process.kill(-front.pid, 'SIGKILL');
  });

  it('reports the start of a target that goes on without a word', async ({expect}) => {
    bench.serve(planning());
    const front = bench.start(['run', '--', 'sleep', '1000']);
    while ((bench.peers[0]?.progress.length ?? 0) === 0) await turn(); // the peer is this process' own: each turn may bring it
    expect(bench.peers[0]?.progress).toMatchObject([{kind: 'started'}]);
    front.kill('SIGTERM');
    await once(front, 'exit');
  });

  it('is gone before a busy daemon has read a word, and nothing of the report is lost', async ({expect}) => {
    let held: Peer | undefined;
    bench.serve((peer) => {
      planning()(peer);
      peer.socket.pause();
      held = peer;
    });
    const [status] = (await once(bench.start(['run', '--', 'sh', '-c', 'exit 7']), 'exit')) as [number];
    expect(status).toBe(7);
    expect(held?.progress).toEqual([]);
    held?.socket.resume();
    await held?.gone;
    expect(held?.progress).toMatchObject([{kind: 'started'}, {kind: 'ended', ending: 'exited', code: 7}]);
  });
});
