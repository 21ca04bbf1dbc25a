import {chmod, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {canRunGuests, type Ended, VmBench} from './vm-bench.js';

/* Stand-ins for QEMU: they have the channels as it has them (agent 3, monitor 4, console 5), and say what it says. */
describe.skipIf(!canRunGuests())('a VM that fails', () => {
  let bench: VmBench;
  beforeAll(async () => {
    bench = await VmBench.create();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const runStub = async (script: string, options: readonly string[] = []): Promise<Ended> => {
    const stub = join(bench.root, 'stub');
    await writeFile(stub, `#!/bin/bash\n${script}\n`);
    await chmod(stub, 0o755);
    return bench.run(['true'], {options, qemu: stub});
  };

  it.for([
    ['echo "Could not access KVM kernel module: Permission denied" >&2; exit 1', 125, 'this user may not use /dev/kvm'],
    ['echo "Could not access KVM kernel module: No such file or directory" >&2; exit 1', 125, 'there is no /dev/kvm'],
    ['echo "qemu: error: failed to set MSR 0x48e to 0xfff9" >&2; kill -ABRT $$', 134, '(MSR)'],
    ['echo "unsupported machine type" >&2; exit 1', 125, 'has not got the machine type'],
    ['echo "cannot set up guest memory" >&2; exit 1', 125, 'not enough memory'],
    ['echo "whatever" >&2; exit 134', 134, 'QEMU ended with status 134'],
    ['kill -SEGV $$', 139, 'the VM was ended by signal 11'],
    ['exit 0', 125, 'the guest switched itself off'],
    [
      'echo "[1.0] Kernel panic - not syncing: no init" >&5; exit 0',
      125,
      'kernel gave up: Kernel panic - not syncing: no init',
    ],
  ] as const)('says why in one line, and what QEMU said below: %s', async ([script, status, cause], {expect}) => {
    const ended = await runStub(script);
    expect(ended.status).toBe(status);
    const [first = '', ...rest] = ended.stderr.split('\n');
    expect(first).toMatch(/^bootcut: qemu: /);
    expect(first).toContain(cause);
    const said = /echo "([^"]*)" >&2/.exec(script)?.[1];
    if (said !== undefined) {
      expect(rest).toContain(said);
      expect(await readFile(bench.log, 'utf8')).toContain(said);
    }
    expect(ended.stderr).not.toMatch(/chmod|666/);
    expect(String(ended.stdout)).toBe('');
  });

  it('does not wait for a QEMU that has said why it cannot go on', async ({expect}) => {
    const began = process.hrtime.bigint();
    const ended = await runStub('echo "unsupported machine type" >&2; sleep 1000');
    expect(ended.status).toBe(125);
    expect(Number(process.hrtime.bigint() - began) / 1e9).toBeLessThan(20);
    expect(await bench.processes()).toEqual([]); // its children went with it
  });

  it('waits for a guest as long as it may, and no longer', async ({expect}) => {
    const ended = await runStub('sleep 1000', ['--boot-limit', '200']);
    expect(ended).toMatchObject({
      status: 125,
      stderr: 'bootcut: qemu: the guest has not answered within the limit for its boot\n',
    });
  });

  it('names a QEMU that is not there', async ({expect}) => {
    const ended = await bench.run(['true'], {options: [], qemu: '/nonexistent/qemu'});
    expect(ended).toMatchObject({
      status: 125,
      stderr: 'bootcut: /nonexistent/qemu: QEMU is not installed (Debian: qemu-system-x86)\n',
    });
  });

  it('refuses what a guest would never say, and reads no further than it came', async ({expect}) => {
    const words = [
      String.raw`\001\000\000\000\377\377\377\377`, // longer than a frame may be
      String.raw`\001\000\001\000\000\000\000\000`, // a zero that is none
      String.raw`\001\000\000\000\002\000\000\000\001\000`, // HELLO, cut off
      String.raw`\010\003\000\000\001\000\000\000x`, // bytes for a channel that there is not
      String.raw`\010\001\000\000\001\000\000\000x`, // output of a command that does not run
      String.raw`\013\000\000\000\001\000\000\000x`, // credit that is no number
      String.raw`\016\000\000\000\005\000\000\000\011\000\000\000\000`, // an end of no kind
    ];
    for (const word of words) {
      const ended = await runStub(`printf '${word}' >&3; sleep 1000`, ['--boot-limit', '10000']);
      expect({word, status: ended.status, stderr: ended.stderr}).toEqual({
        word,
        status: 125,
        stderr: 'bootcut: qemu: the guest says what its agent would never say\n',
      });
    }
    for (let seed = 0; seed < 10; seed += 1) {
      // Frames of every type with random lengths and bytes: whatever comes of it, it ends, and no sanitizer speaks.
      const junk =
        'for i in {1..200}; do n=$((RANDOM % 20)); printf "\\\\x$(printf %02x $((RANDOM % 18)))\\\\x0$((RANDOM % 4))\\\\0\\\\0\\\\x$(printf %02x $n)\\\\0\\\\0\\\\0" | xargs -0 printf; head -c $n /dev/urandom; done 2>/dev/null >&3';
      const ended = await runStub(`RANDOM=${seed}; ${junk}; exit 1`, ['--boot-limit', '2000']);
      expect(ended.stderr).not.toMatch(/Sanitizer|runtime error/);
    }
  });
});
