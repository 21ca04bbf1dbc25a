import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {chmod, link, mkdir, readdir, readFile, stat, symlink} from 'node:fs/promises';
import {createConnection, createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {Terminal} from '../../rig/terminal.js';
import {canRunGuests, collect, type Ended, VmBench, values} from './native/vm-bench.js';

/** A frame of START (frames.h) for `sh -c`, its stdin and stderr the null device. */
const startFrame = (script: string): Buffer => {
  const field = (kind: number, value: Buffer): Buffer => {
    const head = Buffer.from([kind, 0, 0, 0, 0]);
    head.writeUInt32LE(value.length, 1);
    return Buffer.concat([head, value]);
  };
  const words = ['/bin/sh', '-c', script].map((word) => field(1, Buffer.from(word)));
  const payload = Buffer.concat([...words, field(4, Buffer.from([2, 0, 2]))]);
  const head = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(payload.length, 4);
  return Buffer.concat([head, payload]);
};

/* One VM for all of these, booted by the first test and ended by the last but one: a boot is what costs time here. */
describe.skipIf(!canRunGuests())('further launches in the directory of a VM', () => {
  let bench: VmBench;
  let options: readonly string[];
  let directory: string;
  let owner: ChildProcess;
  let bootId: string;
  beforeAll(async () => {
    bench = await VmBench.create();
    // Longer than the address of a socket may be.
    directory = join(bench.root, 'x'.repeat(120));
    await mkdir(directory, {mode: 0o700});
    options = ['--attachable', directory];
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  /** `sh -c`, in the VM that is there. Where it is not joined, this fails: there is no such QEMU. */
  const joined = {qemu: '/nonexistent/qemu'};
  const inVm = (script: string, input?: Buffer): Promise<Ended> =>
    bench.run(['sh', '-c', script], {options, ...joined, ...(input === undefined ? {} : {input})});
  const start = (script: string): ChildProcess => bench.start(['sh', '-c', script], {options, ...joined});
  const machines = async (): Promise<string[]> =>
    (await bench.processes()).filter((item) => item.endsWith(' qemu-system-x86_64'));

  /** What it writes, up to this. */
  const shows = async (child: ChildProcess, end: string): Promise<string> => {
    let text = '';
    while (!text.endsWith(end)) text += String((await once(child.stdout as NodeJS.ReadableStream, 'data'))[0]);
    return text;
  };

  it('are one that boots and others that join it, also when they come at once, and see the same guest', async ({
    expect,
  }) => {
    const script = 'cat /proc/sys/kernel/random/boot_id; echo $0 >/tmp/$0; exec cat';
    const both = ['one', 'two'].map((name) => bench.start(['sh', '-c', script, name], {options}));
    const [first = '', second = ''] = await Promise.all(both.map((child) => shows(child, '\n')));
    expect(first).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(second).toBe(first);
    bootId = first;
    const [machine = '', ...others] = await machines();
    expect(others).toEqual([]);
    const parent = /^PPid:\t(\d+)$/m.exec(await readFile(`/proc/${Number.parseInt(machine, 10)}/status`, 'utf8'))?.[1];
    const [owning, joining] = String(both[0]?.pid) === parent ? both : both.toReversed();
    if (owning === undefined || joining === undefined) throw new Error('there are not two');
    owner = owning;
    expect(String(owner.pid)).toBe(parent);
    expect(await readdir(directory)).toEqual(['vm']);
    expect((await stat(join(directory, 'vm'))).mode & 0o777).toBe(0o600);
    const ended = collect(joining);
    joining.stdin?.end('last words\n');
    expect(await ended).toMatchObject({status: 0, stderr: ''});
    const third = await inVm(
      'cat /proc/sys/kernel/random/boot_id /tmp/one /tmp/two; pwd; id -u; hostname -f; ls -A /mnt',
    );
    expect(third).toMatchObject({status: 0, stderr: ''});
    const user = process.geteuid?.() ?? 0;
    expect(String(third.stdout)).toBe(`${bootId}one\ntwo\n${bench.project}\n${user}\nguest\n`);
  });

  it('have streams of their own, and end as their command ends', async ({expect}) => {
    const input = Buffer.alloc(3_000_000, 'some bytes ');
    const streams = await inVm('echo err >&2; cat; exit 7', input);
    expect({status: streams.status, stderr: streams.stderr}).toEqual({status: 7, stderr: 'err\n'});
    expect(streams.stdout.equals(input)).toBe(true);
    expect(await inVm('kill -TERM $$')).toMatchObject({signal: 'SIGTERM', stderr: ''});
    expect(await bench.run(['no-such-program'], {options, ...joined})).toMatchObject({status: 127});
    const child = start('trap "echo usr1; exit 3" USR1; echo ready; while :; do sleep 0.1; done');
    await shows(child, 'ready\n');
    const ended = collect(child);
    child.kill('SIGUSR1');
    expect(await ended).toMatchObject({status: 3});
  });

  it('have a terminal of their own, of its size, with its keys, and leave it although something runs on in it', async ({
    expect,
  }) => {
    const env = {...process.env, ASAN_OPTIONS: 'detect_leaks=0'};
    const script =
      'stty size; trap "stty size" WINCH; trap "echo [int]" INT; echo ready; until read x && [ -n "$x" ]; do :; done; trap "" HUP; sleep 1000 & echo "got $x"; exit 5';
    using terminal = new Terminal(bench.line('run', options, ['sh', '-c', script], joined.qemu), {
      cwd: bench.root,
      env,
      columns: 171,
      rows: 47,
    });
    await terminal.shows(/47 171\r\nready/);
    terminal.resize(60, 20);
    await terminal.shows(/20 60/);
    terminal.type('\x03');
    await terminal.shows(/\[int\]/);
    terminal.type('hello\r');
    expect(await terminal.ended()).toMatchObject({code: 5});
    expect(terminal.text).toMatch(/got hello\r\n$/);
  });

  it('get values of their own while they wait, files among them', async ({expect}) => {
    const late = join(bench.root, 'late');
    const server = createServer().listen(late);
    await once(server, 'listening');
    const child = bench.start(['sh', '-c', 'echo "$LATE $(cat ~/.value)"'], {
      options: [...options, '--late', late, '--late-limit', '60000'],
      ...joined,
    });
    const ended = collect(child);
    const [socket] = (await once(server, 'connection')) as [Socket];
    const items = [
      ['env', 'LATE', 'late'],
      ['file', '~/.value', 'file'],
    ] as const;
    socket.end(values(items, true));
    expect(await ended).toMatchObject({status: 0, stdout: Buffer.from('late file\n'), stderr: ''});
    server.close();
  });

  it('are not taken into a VM with another network or other directories, and say so', async ({expect}) => {
    for (const more of [['--net'], ['--share', 'data=/data,ro']]) {
      const ended = await bench.run(['true'], {options: [...options, ...more], ...joined});
      expect(ended.stderr).toMatch(/^bootcut: attach: the VM that runs has other directories or another network/);
      expect(ended.stderr).toContain('QEMU is not installed');
    }
    expect(await readdir(directory)).toEqual(['vm']);
  });

  it('have a place each, and boot a VM of their own where all are taken', async ({expect}) => {
    const three = [1, 2, 3].map((number) => start(`echo ${number}; read x; echo "$x ${number}"`));
    expect(await Promise.all(three.map((child) => shows(child, '\n')))).toEqual(['1\n', '2\n', '3\n']);
    expect(await inVm('true')).toMatchObject({status: 125, stderr: expect.stringContaining('QEMU is not installed')});
    const ended = three.map((child) => collect(child));
    for (const child of three) child.stdin?.end('bye\n');
    expect((await Promise.all(ended)).map(({stdout}) => String(stdout))).toEqual(['bye 1\n', 'bye 2\n', 'bye 3\n']);
    expect(await readdir(directory)).toEqual(['vm']); // it is still that one's
  });

  it('end in the guest when they are killed, and nothing else does; the next one in their place begins anew', async ({
    expect,
  }) => {
    // Two of the three places; one is killed in the middle of what it says.
    const victims = ['exec sleep 1000', 'exec yes'].map((command) => start(`echo $$; ${command}`));
    const pids = await Promise.all(victims.map((child) => shows(child, '\n')));
    victims[0]?.stdin?.write('x'.repeat(100_000));
    for (const child of victims) child.kill('SIGKILL');
    const next = await Promise.all([1, 2, 3].map((number) => inVm(`cat; exit ${number}`, Buffer.from('clean'))));
    expect(next.map(({status, stdout}) => `${status} ${String(stdout)}`)).toEqual(['1 clean', '2 clean', '3 clean']);
    const wait = pids.map((text) => `while kill -0 ${Number.parseInt(text, 10)} 2>/dev/null; do sleep 0.05; done`);
    expect(await inVm(`${wait.join('\n')}\necho gone`)).toMatchObject({status: 0, stdout: Buffer.from('gone\n')});
    expect(owner.exitCode).toBe(null);
  });

  it('find a clean port at once after one who left in the middle of a frame, and cannot do what is the guest’s', async ({
    expect,
  }) => {
    await symlink(directory, join(bench.root, 's'));
    const connect = async (): Promise<Socket> => {
      const socket = createConnection(join(bench.root, 's', 'vm')).on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const holders = [await connect(), await connect()];
    const leaving = await connect();
    leaving.write(startFrame('yes'));
    let seen = 0;
    while (seen < 100_000) seen += ((await once(leaving, 'data')) as [Buffer])[0].length;
    leaving.end(Buffer.from([8, 0, 0, 0, 255, 0, 0, 0, 1]));
    leaving.destroy();
    const next = await connect();
    next.write(startFrame('echo clean'));
    let bytes = Buffer.alloc(0);
    while (!bytes.includes('clean\n')) bytes = Buffer.concat([bytes, ((await once(next, 'data')) as [Buffer])[0]]);
    const types: number[] = [];
    for (let at = 0; at + 8 <= bytes.length; at += 8 + bytes.readUInt32LE(at + 4)) types.push(bytes[at] ?? 0);
    expect(types.slice(0, 5)).toEqual([17, 3, 7, 9, 8]); // JOINED, CONFIGURED, STARTED, EOF of stderr, DATA
    const closed = once(next, 'close');
    next.write(Buffer.from([15, 0, 0, 0, 0, 0, 0, 0])); // POWEROFF
    await closed;
    for (const holder of holders) holder.destroy();
    // One who has gone before the answer: to write to nobody must not end the owner, then or when it leaves (SIGPIPE).
    owner.kill('SIGSTOP');
    (await connect()).destroy();
    owner.kill('SIGCONT');
    expect(await inVm('echo on')).toMatchObject({status: 0, stdout: Buffer.from('on\n')});
  });

  it('end with the launch that booted the VM, say so, and leave nothing', async ({expect}) => {
    const second = start('echo ready; exec sleep 1000');
    await shows(second, 'ready\n');
    const [first, ended] = [collect(owner), collect(second)];
    owner.stdin?.end();
    expect(await first).toMatchObject({status: 0, signal: null, stderr: ''});
    expect(await ended).toMatchObject({
      status: 125,
      stderr: 'bootcut: qemu: the VM has ended with the launch that had booted it\n',
    });
    expect(await readdir(directory)).toEqual([]);
    expect(await bench.processes()).toEqual([]);
  });

  it('boot a VM of their own where one was killed, or where others could have put something', async ({expect}) => {
    const server = createServer();
    await mkdir(join(bench.root, 'd'), {mode: 0o700});
    const short = join(bench.root, 'd', 'vm');
    server.listen(short);
    await once(server, 'listening');
    await link(short, join(directory, 'vm'));
    server.close();
    expect(await inVm('true')).toMatchObject({status: 125, stderr: expect.stringContaining('QEMU is not installed')});
    expect(await readdir(directory)).toEqual([]);
    await chmod(directory, 0o770);
    const {stderr} = await inVm('true');
    expect(stderr).toContain('open to others');
    expect(stderr).toContain('QEMU is not installed');
  });
});
