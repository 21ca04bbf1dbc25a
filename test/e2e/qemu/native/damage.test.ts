import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmod, mkdir, open, readdir, readFile, stat, truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {canRunGuests, collect, Keeper, VmBench} from './vm-bench.js';

const isRoot = process.getuid?.() === 0;

/* Real guests and the real QEMU: what they say when something is broken is theirs to say. */
describe.skipIf(!canRunGuests())('a guest that cannot boot', () => {
  let bench: VmBench;
  beforeAll(async () => {
    bench = await VmBench.create();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  /** The first part of a file of the guest's. */
  const shortened = async (option: '-kernel' | '-initrd', length: number): Promise<string> => {
    const path = join(bench.root, `short${option}`);
    const from = await open(bench.part(option));
    const {buffer, bytesRead} = await from.read(Buffer.alloc(length), 0, length, 0);
    await from.close();
    await writeFile(path, buffer.subarray(0, bytesRead));
    return path;
  };

  it('says so of a kernel that was cut off, and leaves no process', async ({expect}) => {
    const kernel = await shortened('-kernel', 4096);
    const ended = await bench.run(['true'], {options: [], instead: {'-kernel': kernel}});
    expect(ended.status).toBe(125);
    expect(ended.stderr.split('\n')[0]).toMatch(/^bootcut: qemu: the kernel's file /);
    expect(await bench.processes()).toEqual([]);
  });

  it('gives the kernel’s own last words for an initramfs that was cut off', async ({expect}) => {
    const initrd = await shortened('-initrd', 2048);
    const ended = await bench.run(['true'], {options: [], instead: {'-initrd': initrd}});
    expect(ended.status).toBe(125);
    expect(ended.stderr.split('\n')[0]).toMatch(/^bootcut: qemu: the guest's kernel gave up: Kernel panic/);
    expect(await readFile(bench.log, 'utf8')).toContain('Kernel panic');
    expect(await bench.processes()).toEqual([]);
  });

  it('does not start with more memory than there can be', async ({expect}) => {
    const ended = await bench.run(['true'], {options: [], instead: {'-m': String(64 * 1024 * 1024)}});
    expect(ended.status).toBe(125);
    expect(ended.stderr.split('\n')[0]).toMatch(/^bootcut: qemu: there is not enough memory for the VM/);
    expect(await bench.processes()).toEqual([]);
  });

  it.skipIf(!isRoot)(
    'that panics under its command ends with the panic in one line, and waits for nothing',
    async ({expect}) => {
      const ended = await bench.run(['sh', '-c', 'echo before; echo c > /proc/sysrq-trigger; sleep 1000'], {
        options: [],
      });
      expect({status: ended.status, stdout: String(ended.stdout)}).toEqual({status: 125, stdout: 'before\n'});
      expect(ended.stderr.split('\n')[0]).toMatch(
        /^bootcut: qemu: the guest's kernel gave up: Kernel panic - not syncing: sysrq/,
      );
      expect(await bench.processes()).toEqual([]);
    },
  );
});

describe.skipIf(!canRunGuests() || !isRoot)('a VM that can be joined, and another user', () => {
  let bench: VmBench;
  beforeAll(async () => {
    bench = await VmBench.create();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  /** What a stranger hears who connects: whatever comes, then the end. */
  const asNobody = (socket: string): string => {
    const script = `require('net').connect(${JSON.stringify(socket)}).on('data', () => console.log('heard')).on('close', () => console.log('closed')).on('error', (error) => console.log(error.code)); setTimeout(process.exit, 3000).unref()`;
    return spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', script], {
      encoding: 'utf8',
      timeout: 60_000,
      cwd: '/',
    }).stdout;
  };

  it('lets nobody else in: not by the rights of its files, and not where somebody has opened those', async ({
    expect,
    skip,
  }) => {
    if (spawnSync('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, '-e', '0'], {cwd: '/'}).status !== 0)
      return skip('another user cannot run Node here');
    const directory = join(bench.root, 'door');
    await mkdir(directory, {mode: 0o700});
    const owner = bench.start(['sh', '-c', 'echo up; exec sleep 1000'], {options: ['--attachable', directory]});
    const ended = once(owner, 'close');
    await once(owner.stdout as NodeJS.ReadableStream, 'data');
    const socket = join(directory, 'vm');
    expect(((await stat(socket)).mode & 0o777).toString(8)).toBe('600');
    expect(asNobody(socket)).toBe('EACCES\nclosed\n');
    for (const path of [bench.root, directory]) await chmod(path, 0o755);
    await chmod(socket, 0o666);
    expect(asNobody(socket)).toBe('closed\n');
    // The user's own launch is let in as ever, once the directory is theirs alone again.
    await chmod(directory, 0o700);
    const own = await bench.run(['echo', 'joined'], {options: ['--attachable', directory], qemu: '/nonexistent/qemu'});
    expect(own).toMatchObject({status: 0, stdout: Buffer.from('joined\n')});
    owner.kill('SIGTERM');
    await ended;
  });
});

describe.skipIf(!canRunGuests() || !isRoot)('a disk that is full', () => {
  let bench: VmBench;
  let disk: string;
  let isMounted = false;
  beforeAll(async () => {
    bench = await VmBench.create();
    disk = join(bench.root, 'disk');
    await mkdir(disk);
    isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8M,mode=0700', 'tmpfs', disk]).status === 0;
  });
  afterAll(async () => {
    if (isMounted) execFileSync('umount', ['--lazy', disk]);
    await bench[Symbol.asyncDispose]();
  });

  it('is the cause that saving a VM fails with', async ({expect, skip}) => {
    if (!isMounted) return skip('no file system can be mounted here');
    const [file = '', ...args] = bench.line('keep', ['--form', 'saved', '--template', join(disk, 'template')], []);
    const child = spawn(file, args, {env: {...process.env, ASAN_OPTIONS: 'detect_leaks=0'}});
    const {status, stderr} = await collect(child);
    expect(status).toBeGreaterThan(0);
    expect(stderr).toMatch(/^bootcut: \S+: no room for a saved VM: 160 MiB are needed, 8 MiB are free\n$/);
    expect(await readdir(disk)).toEqual([]);
  });

  it('leaves no template half-made, and a VM is kept all the same', async ({expect, skip}) => {
    if (!isMounted) return skip('no file system can be mounted here');
    const template = ['--template', join(disk, 'template')];
    const socket = join(bench.root, 'standby');
    const keeper = new Keeper(bench, ['--form', 'paused', '--socket', socket, ...template]);
    expect(await keeper.ready).toMatchObject({form: 'paused'});
    expect(await readdir(disk)).toEqual([]);
    const taken = await bench.run(['echo', 'taken'], {options: ['--standby', socket, ...template]});
    expect({status: taken.status, stdout: String(taken.stdout)}).toEqual({status: 0, stdout: 'taken\n'});
    await keeper.ended;
    expect(await bench.processes()).toEqual([]);
  });

  it('does not keep a launch from running, nor one that fails from saying why', async ({expect, skip}) => {
    if (!isMounted) return skip('no file system can be mounted here');
    await writeFile(join(disk, 'filler'), '');
    await truncate(join(disk, 'filler'), 0);
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=64k']); // until there is no room left
    const places = [
      '--template',
      join(disk, 'other'),
      '--timeline',
      join(disk, 'timeline'),
      '--log',
      join(disk, 'log'),
    ];
    const ran = await bench.run(['echo', 'ran'], {options: places});
    expect({status: ran.status, stdout: String(ran.stdout), stderr: ran.stderr}).toEqual({
      status: 0,
      stdout: 'ran\n',
      stderr: '',
    });
    const failed = await bench.run(['true'], {options: places, instead: {'-kernel': '/dev/null'}});
    expect(failed.status).toBe(125);
    expect(failed.stderr).toMatch(/^bootcut: qemu: the kernel's file /);
    expect(failed.stderr).not.toContain('the boot text is in');
  });
});
