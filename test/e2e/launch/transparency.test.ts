import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {bootcut, fronts, LaunchRig, quoted} from '../../rig/launch-rig.js';

/** Prints its arguments, byte for byte, as hexadecimal lines. */
const showArguments = `#!/bin/sh\nfor arg; do printf %s "$arg" | od -An -v -tx1 | tr -d ' \\n'; echo; done\n`;

const hex = (text: string | Buffer): string => Buffer.from(text).toString('hex');

describe.each(fronts)('a launch $front', ({daemon, env, name}) => {
  let rig: LaunchRig;
  let child: string;

  beforeAll(async () => {
    rig = await LaunchRig.create({env});
    child = await rig.script('child', showArguments);
    if (daemon) await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  describe('W1: how it ends', () => {
    it.for([0, 1, 7, 126, 200, 255])('has the exit status of its target: %i', async (code, {expect}) => {
      expect((await rig.run(['run', '--', 'sh', '-c', `exit ${code}`])).status).toBe(code);
    });

    it.for([
      ['INT', 130],
      ['TERM', 143],
      ['HUP', 129],
      ['KILL', 137],
      ['SEGV', 139],
      ['ABRT', 134],
      ['USR1', 138],
      ['PIPE', 141],
    ])('shows a shell 128 + n when the target dies of SIG%s', async ([signal, status], {expect}) => {
      const {stdout} = await rig.shell(`bootcut run -- sh -c 'kill -${signal} $$'; echo status=$?`);
      expect(stdout).toBe(`status=${status}\n`);
    });

    it('dies of the same signal as its target, so that a script stops as it would have', async ({expect}) => {
      expect(await rig.run(['run', '--', 'sh', '-c', 'kill -TERM $$'])).toMatchObject({
        status: null,
        signal: 'SIGTERM',
      });
    });

    it('is 127 for a command that does not exist, with its name', async ({expect}) => {
      const {status, stderr, stdout} = await rig.run(['run', '--', 'no-such-program-xyz']);
      expect({status, stdout}).toEqual({status: 127, stdout: ''});
      expect(stderr).toBe('bootcut: no-such-program-xyz: command not found\n');
    });

    it('is 126 for a file that is not executable', async ({expect}) => {
      await writeFile(join(rig.dir, 'not-executable.txt'), 'text', {mode: 0o644});
      const {status, stderr} = await rig.run(['run', '--', './not-executable.txt']);
      expect(status).toBe(126);
      expect(stderr).toBe('bootcut: ./not-executable.txt: permission denied\n');
    });

    it.for([
      ['TERM', 'target', 143],
      ['INT', 'target', 130],
      ['KILL', 'target', 137],
      ['TERM', 'front', 143],
      ['HUP', 'front', 129],
      ['USR2', 'front', 140],
    ] as const)('passes on SIG%s sent from outside to the %s only', async ([signal, receiver, status], {expect}) => {
      const front = rig.start(['run', '--', 'sh', '-c', 'echo $$; exec sleep 1000']);
      const [line] = (await once(front.stdout ?? front, 'data')) as [Buffer];
      const pid = receiver === 'target' ? Number(line.toString()) : (front.pid ?? 0);
      process.kill(pid, `SIG${signal}`);
      const [code, by] = (await once(front, 'close')) as [number | null, NodeJS.Signals | null];
      expect(code ?? 128 + signalNumber(by)).toBe(status);
    });
  });

  describe('W3: its arguments', () => {
    it('reach the target byte for byte, whatever they look like', async ({expect}) => {
      const args = [
        '',
        'a b',
        '$HOME',
        'x;y',
        '*',
        'n\nl',
        '--help',
        '--version',
        '--json',
        '--',
        '--',
        'ü',
        '-c',
        '--no-cache',
        '\\',
        "'",
        '"',
      ];
      const {stdout, status} = await rig.run(['run', '--', child, ...args]);
      expect({status, lines: stdout.split('\n').slice(0, -1)}).toEqual({status: 0, lines: args.map(hex)});
    });

    it('reach the target although they are not UTF-8', async ({expect}) => {
      const {stdout} = await rig.shell(`bootcut run -- ${quoted(child)} $'\\xff\\xfe x' $'a\\nb\\xc3\\n' '' plain`);
      expect(stdout.split('\n').slice(0, 4)).toEqual([
        hex(Buffer.from([0xff, 0xfe, 0x20, 0x78])),
        hex(Buffer.from('a\nb\xc3\n', 'latin1')),
        '',
        hex('plain'),
      ]);
    });

    it.for(['run', 'help', '--', 'shell'])('may name a command called %s', async (name, {expect}) => {
      const directory = join(rig.root, 'odd-names');
      await rig.script(name, '#!/bin/sh\necho "this is $0"\n', directory);
      const {stdout} = await rig.run(['run', '--', name], {env: {PATH: `${directory}:${rig.env['PATH'] ?? ''}`}});
      expect(stdout).toBe(`this is ${join(directory, name)}\n`);
    });

    it('need no -- before a command that does not begin with a dash', async ({expect}) => {
      const {stdout} = await rig.run(['run', child, '--no-cache', '--']);
      expect(stdout).toBe(`${hex('--no-cache')}\n${hex('--')}\n`);
    });

    it('are never taken for ours once the command has begun', async ({expect}) => {
      const {stdout} = await rig.run(['run', '--no-cache', '--with', 'git-identity', child, '--with', 'x']);
      expect(stdout).toBe(`${hex('--with')}\n${hex('x')}\n`);
    });

    it('that make no sense as our flags end with status 2 and one clear line', async ({expect}) => {
      for (const args of [['--frobnicate', 'x'], ['--budget', 'soon', '--', 'true'], ['--budget'], []]) {
        const {status, stderr, stdout} = await rig.run(['run', ...args]);
        expect({status, stdout}).toEqual({status: 2, stdout: ''});
        expect(stderr).toMatch(/^bootcut run: .+\nSee 'bootcut run --help'\.\n$/);
      }
    });
  });

  describe('promise 2: what the target sees', () => {
    it('is the same environment, bytes that are not UTF-8 included', async ({expect}) => {
      const line = `export ODD=$'\\xff\\xfe' EMPTY= MULTI=$'a\\nb' QUOTE="it's"; COMMAND`;
      const list = `/usr/bin/env -0 | sort -z | tr '\\0' '\\n' | grep -avE '^(_|SHLVL|BOOTCUT_FRONT)=' | od -An -c`;
      const direct = await rig.shell(line.replace('COMMAND', list));
      const through = await rig.shell(line.replace('COMMAND', `bootcut run -- sh -c ${quoted(list)}`));
      // bash hands its children PWD, OLDPWD and SHLVL either way; a shell in between must not change them
      expect(through.stdout).toBe((await rig.shell(line.replace('COMMAND', `sh -c ${quoted(list)}`))).stdout);
      expect(direct.stdout.length).toBeGreaterThan(50);
    });

    it('is the same directory, umask, process group, and nice value', async ({expect}) => {
      const probe = `sh -c 'pwd; umask; ps -o pgid= -p $$ >/dev/null; nice'`;
      const direct = await rig.shell(`umask 027; nice -n 3 ${probe}`);
      const through = await rig.shell(`umask 027; nice -n 3 ${quoted(bootcut)} run -- ${probe}`);
      expect(through.stdout).toBe(direct.stdout);
    });

    it('is the same open descriptors, by number', async ({expect}) => {
      const probe = `sh -c 'for fd in 3 5 9; do [ -e /proc/self/fd/$fd ] && echo open $fd; done; read line <&5; echo "$line"; echo out >&9'`;
      const redirections = `5<<<'from five' 9>${quoted(join(rig.root, 'nine'))}`;
      const direct = await rig.shell(`${probe} ${redirections}`);
      const through = await rig.shell(`${quoted(bootcut)} run -- ${probe} ${redirections}`);
      expect(through.stdout).toBe(direct.stdout);
      expect(through.stdout).toContain('from five');
      expect(await readFile(join(rig.root, 'nine'), 'utf8')).toBe('out\n');
    });

    it('is process substitution that works', async ({expect}) => {
      expect((await rig.shell('bootcut run -- cat <(echo substituted)')).stdout).toBe('substituted\n');
    });

    it('is a closed stdin that stays closed', async ({expect}) => {
      const {stdout} = await rig.shell(
        `${quoted(bootcut)} run -- sh -c '[ -e /proc/self/fd/0 ] && echo open || echo closed' <&-`,
      );
      expect(stdout).toBe('closed\n');
    });

    it('is signals that stay ignored', async ({expect}) => {
      const probe = `sh -c 'grep SigIgn /proc/self/status'`;
      const direct = await rig.shell(`trap '' HUP USR1; ${probe}`);
      const through = await rig.shell(`trap '' HUP USR1; ${quoted(bootcut)} run -- ${probe}`);
      expect(through.stdout).toBe(direct.stdout);
    });

    it('is its own stdin, byte for byte', async ({expect}) => {
      const bytes = 'line\nmore\n\u00e4 end without newline';
      expect((await rig.run(['run', '--', 'cat'], {input: bytes})).stdout).toBe(bytes);
    });

    it('leaves stdin alone for whoever comes next', async ({expect}) => {
      const {stdout} = await rig.shell(`printf 'one\\ntwo\\n' | { ${quoted(bootcut)} run -- true; cat; }`);
      expect(stdout).toBe('one\ntwo\n');
    });

    it('is nothing of ours on stdout or stderr', async ({expect}) => {
      expect(await rig.run(['run', '--', 'printf', '{}'])).toMatchObject({stdout: '{}', stderr: '', status: 0});
    });
  });

  describe('W5: much output', () => {
    it('arrives whole through a pipe', async ({expect}) => {
      const {stdout} = await rig.shell(`bootcut run -- sh -c 'head -c 3000000 /dev/zero | tr "\\0" x' | wc -c`);
      expect(stdout.trim()).toBe('3000000');
    });

    it('ends with 141 and without a word when the reader leaves', async ({expect}) => {
      const {stdout, stderr} = await rig.shell('bootcut run -- yes | head -1; echo ${PIPESTATUS[0]}');
      expect({stdout, stderr}).toEqual({stdout: 'y\n141\n', stderr: ''});
    });
  });

  it('D8: still starts its target in a directory that has been deleted', async ({expect}) => {
    const gone = join(rig.root, 'gone');
    await mkdir(gone);
    const {stdout, stderr} = await rig.shell(
      `cd ${quoted(gone)}; rmdir ${quoted(gone)}; bootcut run -- sh -c 'echo started' ; echo $?`,
    );
    expect(stdout).toBe('started\n0\n');
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('takes a command found only by the PATH of the launch', async ({expect}) => {
    const directory = join(rig.root, 'only-here');
    await rig.script('only-here', '#!/bin/sh\necho found\n', directory);
    const {stdout} = await rig.run(['run', '--', 'only-here'], {env: {PATH: `${directory}:${rig.env['PATH'] ?? ''}`}});
    expect(stdout).toBe('found\n');
  });

  it('leaves a record that says whether the daemon served it', async ({expect}) => {
    await (daemon ? rig.served(['run', '--', 'sh', '-c', 'exit 9']) : rig.run(['run', '--', 'sh', '-c', 'exit 9']));
    const record = await rig.lastRecord();
    expect(record).toMatchObject({
      via: daemon ? 'daemon' : 'in-process',
      front: name,
      outcome: {kind: 'exited', code: 9},
      target: 'sh',
      verb: 'run',
      runtime: 'process',
    });
    expect(record.phases.reduce((sum, {from, to}) => sum + to - from, 0)).toBeCloseTo(record.total, 2);
  });

  it('works from a path with blanks, through a link, under any sh', async ({expect}) => {
    const directory = join(rig.root, 'a b c');
    await rm(directory, {recursive: true, force: true});
    await mkdir(directory);
    execFileSync('ln', ['-s', bootcut, join(directory, 'boot cut')]);
    execFileSync('ln', ['-s', 'boot cut', join(directory, 'again')]);
    const {stdout} = await rig.shell(
      `cd ${quoted(directory)} && ./again run -- echo linked && PATH="$PWD:$PATH" again run -- echo found`,
    );
    expect(stdout).toBe('linked\nfound\n');
  });
});

const signalNumber = (signal: NodeJS.Signals | null): number =>
  ({SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15})[signal as 'SIGHUP'] ?? 0;
