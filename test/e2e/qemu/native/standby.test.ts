import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {link, mkdir, writeFile} from 'node:fs/promises';
import {createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {canRunGuests, collect, Keeper, VmBench, values} from './vm-bench.js';

describe.skipIf(!canRunGuests())('a guest that has booted before', () => {
  let bench: VmBench;
  let socket: string;
  beforeAll(async () => {
    bench = await VmBench.create();
    socket = join(bench.root, 'standby');
    await bench.makeTemplate();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const keep = (): Keeper => new Keeper(bench, ['--form', 'paused', '--socket', socket, ...bench.template]);
  const standby = (): string[] => ['--standby', socket];

  it('waits stopped, is taken once, and its keeper leaves with it', async ({expect}) => {
    const keeper = keep();
    expect(await keeper.ready).toMatchObject({form: 'paused'});
    await writeFile(bench.timeline, '');
    const taken = await bench.run(['sh', '-c', 'echo out; echo err >&2; exit 6'], {options: standby()});
    expect({...taken, stdout: String(taken.stdout)}).toEqual({
      status: 6,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await bench.milestones()).toEqual([
      'vm-resumed',
      'command-started',
      'first-output',
      'command-ended',
      'vm-ended',
    ]);
    expect(await keeper.ended).toBe(0);
    expect(existsSync(socket)).toBe(false);
    expect(await bench.processes()).toEqual([]);
    // The next one finds nothing there, and takes what comes then: the template.
    const next = await bench.run(['echo', 'next'], {options: [...standby(), ...bench.template]});
    expect(String(next.stdout)).toBe('next\n');
  });

  it('is given to one of several who come at once', async ({expect}) => {
    const keeper = keep();
    await keeper.ready;
    await writeFile(bench.timeline, '');
    const ended = await Promise.all(
      [1, 2, 3].map((n) =>
        bench.run(['sh', '-c', `echo ${n}; sleep 0.2`], {options: [...standby(), ...bench.template]}),
      ),
    );
    expect(ended.map(({stdout}) => String(stdout))).toEqual(['1\n', '2\n', '3\n']);
    expect(await keeper.ended).toBe(0);
    expect(await bench.processes()).toEqual([]);
  });

  it('ends with its owner, and with its keeper', async ({expect}) => {
    const owned = keep();
    await owned.ready;
    owned.child.stdin?.end();
    expect(await owned.ended).toBe(0);
    expect(existsSync(socket)).toBe(false);
    const killed = keep();
    await killed.ready;
    killed.child.kill('SIGKILL');
    await killed.ended;
    while ((await bench.processes()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    // Its socket is still there; nobody listens, and the launch goes on without.
    const next = await bench.run(['echo', 'next'], {options: [...standby(), ...bench.template]});
    expect(String(next.stdout)).toBe('next\n');
  });

  it('tells how it ended when it is killed under its command', async ({expect}) => {
    const keeper = keep();
    await keeper.ready;
    const child = bench.start(['sh', '-c', 'echo ready; sleep 1000'], {options: standby()});
    if (child.stdout === null) throw new Error('there is no pipe');
    const ended = collect(child);
    await once(child.stdout, 'data');
    const qemu = (await bench.processes()).find((item) => item.endsWith('qemu-system-x86_64'));
    process.kill(Number.parseInt(qemu ?? '', 10), 'SIGKILL');
    expect((await ended).status).toBe(137);
    expect((await ended).stderr).toContain('the VM was ended by signal 9 (Killed)');
    await keeper.ended;
  });

  it('goes on without a template that is of no use', async ({expect}) => {
    const directory = join(bench.root, 'broken');
    await mkdir(directory);
    await link(join(bench.root, 'template', 'memory'), join(directory, 'memory'));
    await writeFile(join(directory, 'state'), 'rubbish');
    const {status, stdout, stderr} = await bench.run(['echo', 'booted'], {options: ['--template', directory]});
    expect({status, stdout: String(stdout), stderr}).toEqual({status: 0, stdout: 'booted\n', stderr: ''});
  });

  it('never shows two guests the same random bytes, boot id or machine id, and knows the time', async ({expect}) => {
    const script =
      'head -c 32 /dev/urandom | od -An -v -tx1 | tr -d " \\n"; echo; cat /proc/sys/kernel/random/boot_id /etc/machine-id; date +%s; hostname';
    const seen: string[][] = [];
    const look = async (options: readonly string[]): Promise<void> => {
      const {stdout} = await bench.run(['sh', '-c', script], {options});
      const [random = '', boot = '', machine = '', time = '', name = ''] = String(stdout).trim().split('\n');
      expect([random.length, boot.length, machine.length]).toEqual([64, 36, 32]);
      expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(3);
      expect(name).toBe('guest');
      seen.push([random, boot, machine]);
    };
    for (let turn = 0; turn < 17; turn += 1) await look(bench.template);
    for (let turn = 0; turn < 3; turn += 1) {
      const keeper = keep();
      await keeper.ready;
      await look(standby());
      await keeper.ended;
    }
    for (const kind of [0, 1, 2]) expect(new Set(seen.map((item) => item[kind])).size).toBe(20);
  });

  it('holds the command until the values are there, and replaces files that come later', async ({expect}) => {
    const late = join(bench.root, 'late');
    const server = createServer().listen(late);
    await once(server, 'listening');
    const connection = once(server, 'connection');
    const script =
      'echo "$TOKEN"; cat ~/.gitconfig; stat -c "%a %u" ~/.gitconfig ~/.config/deep/file; until grep -q second ~/.gitconfig; do sleep 0.05; done; cat ~/.gitconfig; ls -A ~';
    const child = bench.start(['sh', '-c', script], {
      options: [...bench.template, '--late', late, '--late-limit', '60000'],
      env: {...process.env, TOKEN: 'caller'},
    });
    const [peer] = (await connection) as [Socket];
    const modes = `600 ${process.getuid?.() ?? 0}\n`.repeat(2);
    let text = '';
    const ended = once(child, 'close');
    child.stdout?.on('data', (chunk: Buffer) => {
      text += String(chunk);
      if (text.endsWith(modes)) peer.end(values([['file', '~/.gitconfig', 'second\n']]));
    });
    peer.write(
      values([
        ['env', 'TOKEN', 'secret'],
        ['file', '~/.gitconfig', 'first\n'],
      ]),
    );
    peer.write(
      values(
        [
          ['file', '~/.config/deep/file', 'x'],
          ['file', `${bench.project}/secret`, 'x'],
        ],
        true,
      ),
    );
    expect((await ended)[0]).toBe(0);
    expect(text).toBe(`secret\nfirst\n${modes}second\n.config\n.gitconfig\n`);
    expect(existsSync(join(bench.project, 'secret'))).toBe(false);
    server.close();
  });
});
