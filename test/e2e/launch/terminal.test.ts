import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {bootcut, fronts, LaunchRig} from '../../rig/launch-rig.js';
import {Terminal} from '../../rig/terminal.js';

/** Counts INTs; after the first it takes a moment to clean up (in which a second would be counted) and ends with 3. */
const counting = `#!/bin/bash
count=0
trap 'count=$((count + 1))' INT
echo ready $$
while [ "$count" -eq 0 ]; do sleep 0.05; done
sleep 0.4
echo clean >"$1"
echo "count $count" >>"$1"
exit 3
`;

describe.each(fronts)('W2: a launch in a terminal, $front', ({daemon, env}) => {
  let rig: LaunchRig;
  let child: string;

  beforeAll(async () => {
    rig = await LaunchRig.create({env: {TERM: 'dumb', PS1: 'prompt> ', ...env}});
    child = await rig.script('counting', counting);
    if (daemon) await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  /** An interactive shell in a terminal, at its first prompt. */
  const shell = async (): Promise<Terminal> => {
    const terminal = new Terminal(['/bin/bash', '--norc', '-i'], {
      cwd: rig.dir,
      env: rig.environment(),
      columns: 171,
      rows: 47,
    });
    await terminal.shows(/prompt> $/);
    return terminal;
  };

  it('gets one INT for one Ctrl-C, and we return only after it has cleaned up', async ({expect}) => {
    using terminal = await shell();
    const result = join(rig.root, 'interrupted');
    terminal.type(`${bootcut} run -- ${child} ${result}; echo status=$?\r`);
    await terminal.shows(/ready \d+/);
    terminal.type('\x03');
    await terminal.shows(/status=3/);
    expect(await readFile(result, 'utf8')).toBe('clean\ncount 1\n');
  });

  it('gets an INT that was sent to us alone, once', async ({expect}) => {
    using terminal = await shell();
    const result = join(rig.root, 'alone');
    terminal.type(`${bootcut} run -- ${child} ${result}; echo status=$?\r`);
    const ready = await terminal.shows(/ready (\d+)/);
    const front = Number((await rig.shell(`ps -o ppid= -p ${ready[1] ?? ''}`)).stdout);
    process.kill(front, 'SIGINT');
    await terminal.shows(/status=\d+/);
    expect(await readFile(result, 'utf8')).toBe('clean\ncount 1\n');
  });

  it('stops at Ctrl-Z together with us and goes on at fg, with the terminal as it was', async ({expect}) => {
    using terminal = await shell();
    terminal.type('stty -a >before\r');
    terminal.type(`${bootcut} run -- sh -c 'echo ready; read line; echo "read $line"; exit 5'\r`);
    await terminal.shows(/\r\nready/);
    terminal.type('\x1a');
    await terminal.shows(/Stopped/);
    terminal.type('fg; echo status=$?\r');
    await terminal.shows(/fg; echo.*\r\n[^\n]*run -- sh/);
    terminal.type('hello\r');
    await terminal.shows(/read hello/);
    await terminal.shows(/status=5/);
    terminal.type('stty -a >after; cmp before after && echo same-modes\r');
    await terminal.shows(/\r\nsame-modes/);
    expect(terminal.text).not.toMatch(/bootcut:/);
  });

  it('sees the size of the terminal, and its changes', async ({expect}) => {
    using terminal = await shell();
    terminal.type(
      `${bootcut} run -- bash -c 'trap "stty size; exit 4" WINCH; stty size; while :; do sleep 0.05; done'; echo status=$?\r`,
    );
    await terminal.shows(/\r\n47 171/);
    terminal.resize(120, 33);
    await terminal.shows(/status=4/);
    expect(terminal.text).toContain('33 120');
  });

  it('is told by isatty what it would have been told', async ({expect}) => {
    using terminal = await shell();
    const probe = `sh -c 'for fd in 0 1 2; do [ -t $fd ] && echo tty || echo no; done'`;
    terminal.type(`${bootcut} run -- ${probe} | tr "\\\\n" " "; echo end\r`);
    const [, shown] = await terminal.shows(/\r\n((?:tty |no )+)end/);
    expect(shown).toBe('tty no tty ');
  });
});
