import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {readFile, writeFile} from 'node:fs/promises';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {canRunGuests, VmBench} from './vm-bench.js';

describe.skipIf(!canRunGuests())('a command in a guest', () => {
  let bench: VmBench;
  beforeAll(async () => {
    bench = await VmBench.create();
    await bench.makeTemplate();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  it('boots cold, keeps stdout and stderr apart, leaves its status and nothing else', async ({expect}) => {
    await writeFile(bench.timeline, '');
    const {status, stdout, stderr} = await bench.run(['sh', '-c', 'echo out; echo err >&2; exit 7'], {options: []});
    expect({status, stdout: String(stdout), stderr}).toEqual({status: 7, stdout: 'out\n', stderr: 'err\n'});
    expect(await bench.milestones()).toEqual([
      'vm-started',
      'kernel-entered',
      'agent-ready',
      'command-started',
      'first-output',
      'command-ended',
      'vm-ended',
    ]);
    expect(existsSync(bench.log)).toBe(false);
    expect(await bench.processes()).toEqual([]);
  });

  it('ends as the command ended', async ({expect}) => {
    const end = async (script: string): Promise<unknown> => {
      const {status, signal} = await bench.run(['sh', '-c', script]);
      return signal ?? status;
    };
    expect(await end('exit 200')).toBe(200);
    expect(await end('kill -INT $$')).toBe('SIGINT');
    expect(await end('kill -KILL $$')).toBe('SIGKILL');
    expect(await end('kill -SEGV $$')).toBe('SIGSEGV');
  });

  it('says what a shell says of a command that cannot be started', async ({expect}) => {
    const missing = await bench.run(['no-such-program-xyz']);
    expect(missing).toMatchObject({status: 127, stderr: 'bootcut: no-such-program-xyz: command not found\n'});
    const text = await bench.run(['/etc/passwd']);
    expect(text).toMatchObject({status: 126, stderr: 'bootcut: /etc/passwd: permission denied\n'});
  });

  it('passes arguments on byte for byte, and the chosen environment alone', async ({expect}) => {
    const args = ['', 'a b', '$HOME', '*', 'n\nl', '--help', '--', 'ü'];
    const env = {...process.env, WANTED: 'x=y\n', UNWANTED: 'no'};
    const options = [...bench.template, '--env', 'WANTED', '--env', 'SET=1', '--env', 'MISSING'];
    const program = 'import os, sys; print(sys.argv[1:], sorted(os.environ.items()), os.getcwd())';
    const {stdout, stderr} = await bench.run(['/usr/bin/env', '-u', 'LC_CTYPE', 'python3', '-c', program, ...args], {
      options,
      env,
    });
    if (stderr.includes('not found') || stderr.includes('No such file')) return; // no python3 below /usr
    const text = String(stdout);
    expect(text).toContain(String.raw`['', 'a b', '$HOME', '*', 'n\nl', '--help', '--', 'ü']`);
    expect(text).toContain(String.raw`('WANTED', 'x=y\n')`);
    expect(text).toContain(`('SET', '1')`);
    expect(text).toContain(`('HOME', '/home/tester')`);
    expect(text).not.toContain('UNWANTED');
    expect(text).not.toContain('MISSING');
    expect(text).not.toContain('BOOTCUT');
    expect(text).toContain(bench.project);
  });

  it('gives the guest a system it may change for itself, and the project for good', async ({expect}) => {
    await writeFile(`${bench.project}/from-host`, 'host');
    const script = [
      'touch /usr/thrown-away && rm /usr/bin/cat && ! test -e /usr/bin/cat && echo changed',
      'tail -c 9 from-host; echo guest > from-guest; id -u; hostname; ls -A ~ /modules /.layers 2>&1',
      'touch /sys/x 2>/dev/null || echo read-only',
    ].join('\n');
    const {stdout, stderr} = await bench.run(['sh', '-c', script]);
    expect(stderr).toBe('');
    expect(String(stdout)).toMatch(/^changed\nhost\d+\nguest\nls: .*\/modules.*\nls: .*\/\.layers.*\n.*read-only\n$/s);
    expect(existsSync('/usr/thrown-away')).toBe(false);
    expect(existsSync('/usr/bin/cat')).toBe(true);
    expect(await readFile(`${bench.project}/from-guest`, 'utf8')).toBe('guest\n');
  });

  it('sees what the host writes into the project while it runs', async ({expect}) => {
    await writeFile(`${bench.project}/shared`, 'one');
    const child = bench.start(['sh', '-c', 'while read _; do cat shared; ls | grep -c new; done']);
    const {stdin, stdout} = child;
    if (stdin === null || stdout === null) throw new Error('there are no pipes');
    const ask = async (): Promise<string> => {
      stdin.write('\n');
      let text = '';
      while (!text.endsWith('\n')) text += String((await once(stdout, 'data'))[0]);
      return text;
    };
    expect(await ask()).toBe('one0\n');
    await writeFile(`${bench.project}/shared`, 'two, longer');
    await writeFile(`${bench.project}/new`, '');
    expect(await ask()).toBe('two, longer1\n');
    stdin.end();
    await once(child, 'close');
  });

  it('hands a signal for itself to the command, once', async ({expect}) => {
    const script = 'trap "echo int" INT; trap "echo usr1; exit 3" USR1; echo ready; while :; do sleep 0.1; done';
    const child = bench.start(['sh', '-c', script]);
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += String(chunk);
      if (text === 'ready\n') child.kill('SIGINT');
      if (text === 'ready\nint\n') child.kill('SIGUSR1');
    });
    const [status] = (await once(child, 'close')) as [number];
    expect({status, text}).toEqual({status: 3, text: 'ready\nint\nusr1\n'});
  });

  it('ends with its command, whatever runs in the background', async ({expect}) => {
    const {status, stdout} = await bench.run(['sh', '-c', 'sleep 1000 & yes > /dev/null & echo started; exit 4']);
    expect({status, stdout: String(stdout)}).toEqual({status: 4, stdout: 'started\n'});
    expect(await bench.processes()).toEqual([]);
  });

  it('leaves nothing behind when it is killed', async ({expect}) => {
    const child = bench.start(['sh', '-c', 'echo ready; sleep 1000']);
    if (child.stdout === null) throw new Error('there is no pipe');
    await once(child.stdout, 'data');
    expect((await bench.processes()).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    // QEMU is not our child: that it is gone can only be looked for.
    while ((await bench.processes()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await bench.processes()).toEqual([]);
  });
});
