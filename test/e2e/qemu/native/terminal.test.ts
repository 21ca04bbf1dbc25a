import {readFile} from 'node:fs/promises';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {Terminal} from '../../../rig/terminal.js';
import {canRunGuests, VmBench} from './vm-bench.js';

describe.skipIf(!canRunGuests())('a terminal in a guest', () => {
  let bench: VmBench;
  beforeAll(async () => {
    bench = await VmBench.create();
    await bench.makeTemplate();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const env = {...process.env, ASAN_OPTIONS: 'detect_leaks=0', SHELL: '/bin/sh', ENV: ''};
  const open = (argv: readonly string[]): Terminal =>
    new Terminal(argv, {cwd: bench.root, env, columns: 171, rows: 47});
  const inGuest = (script: string): Terminal => open(bench.line('run', bench.template, ['sh', '-c', script]));

  /** The modes before and after, as a shell in the same terminal sees them. */
  const around = (script: string): Terminal =>
    open([
      'bash',
      '-c',
      'echo "before $(stty -g)"; "$0" "$@"; echo "status $?"; echo "after $(stty -g)"',
      ...bench.line('run', bench.template, ['sh', '-c', script]),
    ]);
  const modes = (text: string): unknown => {
    const found = /before (\S+)[\s\S]*after (\S+)/.exec(text);
    return found?.[1] !== undefined && found[1] === found[2];
  };
  const statusOf = (text: string): string | undefined => /status (\d+)/.exec(text)?.[1];

  it('has its size from the start and at every change, and control characters as bytes', async ({expect}) => {
    using terminal = inGuest(
      'stty size; trap "stty size" WINCH; echo ready; until read x && [ -n "$x" ]; do :; done; echo "got $x"; exec cat',
    );
    await terminal.shows(/47 171\r\nready/);
    terminal.resize(60, 20);
    await terminal.shows(/20 60/);
    terminal.type('hello\r');
    await terminal.shows(/got hello\r\n/);
    terminal.type('line\r');
    await terminal.shows(/line[\r\n]+line/);
    terminal.type('\x04');
    expect(await terminal.ended()).toMatchObject({code: 0});
  });

  it('interrupts the command once by Ctrl-C, and restores the modes', async ({expect}) => {
    using terminal = around('trap "echo [int]; exit 3" INT; echo ready; while :; do sleep 0.1; done');
    await terminal.shows(/ready/);
    terminal.type('\x03');
    await terminal.ended();
    expect(terminal.text.split('[int]').length).toBe(2);
    expect(statusOf(terminal.text)).toBe('3');
    expect(modes(terminal.text)).toBe(true);
  });

  it('stops a job of the guest’s own shell by Ctrl-Z', async ({expect}) => {
    using terminal = open(bench.line('run', bench.template, []));
    await terminal.shows(/[$#] $/);
    terminal.type('sh -c "echo u\\p; exec sleep 1000"\r');
    await terminal.shows(/up\r\n/);
    terminal.type('\x1a');
    await terminal.shows(/Stopped[^]*[$#] $/);
    terminal.type('fg\r');
    await terminal.shows(/fg[\r\n]+sh -c/);
    terminal.type('\x03');
    await terminal.shows(/\^C[^]*[$#] $/);
    terminal.type('exit 5\r');
    expect((await terminal.ended()).code).toBe(5);
  });

  it('restores the modes when the VM is killed', async ({expect}) => {
    using terminal = around('echo ready; sleep 1000');
    await terminal.shows(/ready/);
    const qemu = (await bench.processes()).find((item) => item.endsWith('qemu-system-x86_64'));
    process.kill(Number.parseInt(qemu ?? '', 10), 'SIGKILL');
    await terminal.ended();
    expect(terminal.text).toContain('bootcut: qemu: the VM was ended by signal 9 (Killed)');
    expect(statusOf(terminal.text)).toBe('137');
    expect(modes(terminal.text)).toBe(true);
  });

  it('restores the modes when the command dies of a signal for our program', async ({expect}) => {
    using terminal = around('echo ready; exec sleep 1000');
    await terminal.shows(/ready/);
    const own = (await bench.processes()).filter((item) => item.endsWith('bootcut-vm-sanitized'));
    for (const item of own) process.kill(Number.parseInt(item, 10), 'SIGTERM');
    await terminal.ended();
    expect(statusOf(terminal.text)).toBe('143');
    expect(modes(terminal.text)).toBe(true);
  });

  it('leaves the terminal to others in a pipeline', async ({expect}) => {
    const script = 'test -t 0 && echo in; test -t 1 || echo out; read x; echo "[$x]"; cat; echo over';
    using terminal = open([
      'bash',
      '-c',
      '"$0" "$@" | sed "s/^/A:/"',
      ...bench.line('run', bench.template, ['sh', '-c', script]),
    ]);
    await terminal.shows(/A:in\r\nA:out\r\n/);
    terminal.type('hello\r');
    await terminal.shows(/A:\[hello\]\r\n/);
    terminal.type('\x04');
    await terminal.shows(/A:over\r\n/);
    await terminal.ended();
    expect(terminal.text.split('hello').length).toBe(3); // the host's echo, and the command's answer
  });

  it('is left as it was by a launch that fails', async ({expect}) => {
    using terminal = open([
      'bash',
      '-c',
      'echo "before $(stty -g)"; "$@"; echo "status $?"; echo "after $(stty -g)"',
      'bash',
      ...bench.line('run', [], ['true']).map((word) => (word === 'microvm,rtc=on' ? 'nonesuch' : word)),
    ]);
    await terminal.ended();
    expect(terminal.text).toContain('bootcut: qemu: this QEMU has not got the machine type');
    expect(statusOf(terminal.text)).toBe('125');
    expect(modes(terminal.text)).toBe(true);
    expect(await readFile(bench.log, 'utf8')).toContain('unsupported machine type');
  });
});
