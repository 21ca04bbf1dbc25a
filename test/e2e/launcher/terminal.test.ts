import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'vitest';
import {quoted} from '../../rig/launch-rig.js';
import {Terminal} from '../../rig/terminal.js';
import {haveLauncher, LauncherBench, planning, type Script, sanitizedLauncher} from './scripted-daemon.js';

describe.skipIf(!haveLauncher())('the launcher in a terminal', () => {
  let bench: LauncherBench;
  beforeEach(async () => {
    bench = await LauncherBench.create();
  });
  afterEach(async ({expect}) => {
    expect((await readdir(bench.root)).filter((name) => name.startsWith('found'))).toEqual([]);
    await bench[Symbol.asyncDispose]();
  });

  /** A shell line in a terminal of 47 lines; `bootcut` is the launcher. */
  const terminal = (line: string): Terminal =>
    new Terminal(
      [
        '/bin/bash',
        '-c',
        `bootcut() { ${quoted(sanitizedLauncher)} --at=${quoted(join(bench.root, 'bin'))} "$@"; }\n${line}`,
      ],
      {cwd: join(bench.root, 'work'), env: {...bench.env, TERM: 'dumb'}, columns: 171, rows: 47},
    );

  describe('W6: modes', () => {
    const around = async (
      line: string,
      script: Script = planning(),
    ): Promise<{before: string; after: string; shown: string}> => {
      bench.serve(script);
      using shown = terminal(`stty -a >before; ${line}; echo status=$?; stty -a >after; echo done`);
      await shown.shows(/done/);
      const read = async (name: string): Promise<string> => await readFile(join(bench.root, 'work', name), 'utf8');
      return {before: await read('before'), after: await read('after'), shown: shown.text};
    };
    const raw = (end: string): string => `bash -c 'stty raw -echo; ${end}'`;
    const asShell: Script = (peer) =>
      planning({argv: [{kind: 'keep', from: 2, to: peer.request?.argv.length ?? 0}]})(peer);

    it.for([
      ['is killed', `bootcut run -- ${raw('kill -KILL $$')}`, 137],
      ['is terminated', `bootcut run -- ${raw('kill -TERM $$')}`, 143],
      ['is a VM that fails', `bootcut shell -- ${raw('exit 1')}`, 1],
    ] as const)('are put back after a target that %s', async ([, line, status], {expect}) => {
      const {before, after, shown} = await around(line, asShell);
      expect(after).toBe(before);
      expect(shown).toContain(`status=${status}`);
    });

    it('that a program changes on purpose stay as it left them', async ({expect}) => {
      const {before, after} = await around(`bootcut run -- bash -c 'stty -echo; exit 1'`);
      expect(after).not.toBe(before);
      expect(after).toContain('-echo ');
    });

    it('are left alone by a launch in the background', async ({expect}) => {
      // `timeout` puts the launch into a group of its own, which is not the terminal's
      const {before, after, shown} = await around(
        `timeout -s TERM 0.3 ${quoted(sanitizedLauncher)} --at=${quoted(join(bench.root, 'bin'))} run -- sleep 1000`,
      );
      expect(after).toBe(before);
      expect(shown).toContain('status=124');
    });
  });

  it('ends with its target when the terminal hangs up, and the target has heard of it', async ({expect}) => {
    const python = `import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
os.read(fd, 1)
os.close(fd)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
    const script = `trap 'echo heard >heard; exit 5' HUP; echo ready; while :; do sleep 0.05; done`;
    const child = spawn(
      'python3',
      ['-c', python, sanitizedLauncher, `--at=${bench.root}/bin`, 'run', '--', 'bash', '-c', script],
      {
        env: bench.env,
        cwd: join(bench.root, 'work'),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(said.toString()).toBe('5\n');
    expect(await readFile(join(bench.root, 'work', 'heard'), 'utf8')).toBe('heard\n');
  });

  describe('observing stderr', () => {
    const observed = (): Script => planning({observe: ['==> ']});

    it('leaves isatty, size and size changes as they are', async ({expect}) => {
      bench.serve(observed());
      const probe = `bash -c 'for fd in 0 1 2; do [ -t $fd ] && echo tty $fd; done; stty size <&2; trap "stty size <&2; stty size; exit 4" WINCH; echo ready; while :; do sleep 0.05; done'`;
      using shown = terminal(`bootcut run -- ${probe}; echo status=$?`);
      await shown.shows(/tty 0\r\ntty 1\r\ntty 2\r\n47 171\r\nready/);
      shown.resize(120, 33);
      await shown.shows(/33 120\r\n33 120\r\nstatus=4/);
      expect(bench.peers[0]?.request).toMatchObject({stdio: ['tty', 'tty', 'tty'], mergedOutput: false});
    });

    it('shows the same bytes, what is written just before raw mode too, and reports the lines', async ({expect}) => {
      const writes = `bash -c 'printf "==> one\\ntab\\t\\033[1mbold\\033[0m\\r\\nbar\\r" >&2; stty raw; sleep 0.1; printf "==> two\\n" >&2; sleep 0.1; stty sane; printf "==> end\\n" >&2'`;
      const show = async (line: string): Promise<string> => {
        using shown = terminal(`${line}; sleep 0.1; echo over`);
        await shown.shows(/over\r\n/);
        return shown.text;
      };
      const direct = await show(writes);
      expect(direct).toContain('==> two\n');
      bench.serve(observed());
      // in raw mode a line feed alone would begin the next line in the middle: it gets its carriage return
      expect(await show(`bootcut run -- ${writes}`)).toBe(direct.replace('==> two\n', '==> two\r\n'));
      const texts = bench.peers[0]?.progress.flatMap((report) => (report.kind === 'line' ? [report.text] : []));
      expect(texts).toEqual(['==> one', '==> end']);
    });

    it('keeps what was written to stderr before what is written to stdout later', async ({expect}) => {
      bench.serve(observed());
      using shown = terminal(
        `bootcut run -- bash -c 'for i in 1 2 3; do echo "==> $i" >&2; sleep 0.2; echo "out $i"; sleep 0.2; done'; echo over`,
      );
      await shown.shows(/over/);
      expect(shown.text.replaceAll('\r\n', ' ')).toContain([1, 2, 3].map((i) => `==> ${i} out ${i}`).join(' '));
    });

    it('does not happen where the plan does not ask for it: stderr is the terminal itself', async ({expect}) => {
      using shown = terminal(`tty >&2; bootcut run -- bash -c 'tty <&2'; echo over`);
      const [, first, second] = await shown.shows(/(\/dev\/\S+)\r\n(\/dev\/\S+)\r\nover/);
      expect(second).toBe(first);
    });
  });
});
