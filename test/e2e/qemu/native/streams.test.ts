import {createHash, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {run} from '../../../rig/program.js';
import {canRunGuests, VmBench} from './vm-bench.js';

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(!canRunGuests())('the streams of a command in a guest', () => {
  let bench: VmBench;
  beforeAll(async () => {
    bench = await VmBench.create();
    await bench.makeTemplate();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  /** Through a shell, which can close descriptors and make real pipes. */
  const shell = (script: string): ReturnType<typeof run> =>
    run(['bash', '-c', script, ...bench.line('run', bench.template, [])], {
      env: {...process.env, ASAN_OPTIONS: 'detect_leaks=0'},
      cwd: bench.root,
    });

  it('carries 50 MB through all three at once, byte for byte, to a reader who sleeps', async ({expect}) => {
    const input = randomBytes(50_000_000);
    const child = bench.start(['tee', '/dev/stderr']);
    const parts: Record<'stdout' | 'stderr', Buffer[]> = {stdout: [], stderr: []};
    child.stderr?.on('data', (chunk: Buffer) => parts.stderr.push(chunk));
    child.stdout?.on('data', (chunk: Buffer) => {
      parts.stdout.push(chunk);
      if (parts.stdout.length !== 20) return;
      child.stdout?.pause();
      setTimeout(() => child.stdout?.resume(), 1500);
    });
    child.stdin?.end(input);
    const [status] = (await once(child, 'close')) as [number];
    expect(status).toBe(0);
    expect(digest(Buffer.concat(parts.stdout))).toBe(digest(input));
    expect(digest(Buffer.concat(parts.stderr))).toBe(digest(input));
  });

  it('gives the command an end where the caller has closed stdin', async ({expect}) => {
    expect(await shell('"$0" "$@" cat <&-; echo "status $?"')).toMatchObject({stdout: 'status 0\n', stderr: ''});
    expect(await shell('"$0" "$@" sh -c "cat; echo end" </dev/null')).toMatchObject({stdout: 'end\n'});
  });

  it('ends a command that writes to nobody by SIGPIPE', async ({expect}) => {
    expect(await shell('"$0" "$@" yes | head -1; echo "${PIPESTATUS[@]}"')).toMatchObject({
      stdout: 'y\n141 0\n',
      stderr: '',
    });
  });

  it('stops a writer whose bytes the command does not read', async ({expect}) => {
    const {stdout} = await shell('yes | "$0" "$@" head -c 2; echo "${PIPESTATUS[@]}"');
    expect(stdout).toBe('y\n141 0\n');
  });

  it('keeps the order where stdout and stderr are one', async ({expect}) => {
    const loop = 'for i in 1 2 3 4 5 6 7 8; do echo out $i; echo err $i >&2; done';
    const {stdout} = await shell(`"$0" "$@" sh -c '${loop}' 2>&1 | cat`);
    expect(stdout.split('\n').slice(0, 4)).toEqual(['out 1', 'err 1', 'out 2', 'err 2']);
  });

  it('loses nothing of what is written last', async ({expect}) => {
    const {stdout} = await bench.run(['sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" x; printf END']);
    expect(stdout.length).toBe(3_000_003);
    expect(String(stdout.subarray(-4))).toBe('xEND');
  });
});
