import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test, vi} from 'vitest';
import {type KvmState, kvmDevice, noRight} from '../../../../plugins/qemu/src/kvm-device.js';
import {probeKvm} from '../../../../plugins/qemu/src/kvm-lookup.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from '../agent-vm/launch.js';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('qemu-kvm');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const whyOf = (state: KvmState): string => (state.usable ? '' : state.why);

/** A process that has ended and was not collected yet is none. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** A stand-in for QEMU: what it says on the guest's console (stdout) and on its own (stderr), and how it ends. */
const probed = async (script: string): Promise<KvmState> => {
  const qemu = join(root, 'qemu');
  writeFileSync(qemu, `#!/bin/sh\n${script}\n`, {mode: 0o755});
  const launch = {...makeLaunch(), env: {PATH: '/usr/bin:/bin'}, cwd: root};
  return await probeKvm(launch, qemu, {kernel: '/k'}, new AbortController().signal);
};

describe('the KVM device', () => {
  const accounts = {user: 'ann', groupFile: 'kvm:x:109:bob\n', active: [1000]};

  test('that is not there is said so, with what brings it', ({expect}) => {
    const state = kvmDevice(join(root, 'kvm'), accounts);
    expect(whyOf(state)).toBe(`this machine has no ${join(root, 'kvm')}`);
    expect(state).toMatchObject({advice: expect.stringContaining('modprobe')});
  });

  test('that opens is not yet known to be of no use', ({expect}) => {
    writeFileSync(join(root, 'kvm'), '');
    expect(kvmDevice(join(root, 'kvm'), accounts)).toEqual({usable: true});
  });

  test('that is closed names the group, and never the way of opening it to all', ({expect}) => {
    const closed = noRight('/dev/kvm', 109, accounts);
    expect(closed).toEqual({
      why: 'you have no right to /dev/kvm: it belongs to the group kvm',
      advice: 'sudo usermod -aG kvm ann   (then log out and in again)',
    });
    const notYet = noRight('/dev/kvm', 109, {...accounts, groupFile: 'kvm:x:109:bob,ann\n'});
    expect(notYet.why).toContain('but not since this session began');
    const ofRoot = noRight('/dev/kvm', 0, accounts);
    expect(JSON.stringify([closed, notYet, ofRoot])).not.toMatch(/chmod|666/);
  });
});

describe('trying a guest on KVM', () => {
  test('works when the kernel gets to where it would start a program', async ({expect}) => {
    const script = 'echo "Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)"';
    expect(await probed(script)).toEqual({usable: true});
  });

  test('ends a guest that stands still, with everything of it, within its limit', async ({expect}) => {
    const state = await probed(`echo $$ > ${join(root, 'pid')}; sleep 60 & echo $! >> ${join(root, 'pid')}; wait`);
    expect(whyOf(state)).toBe('a guest on KVM does not come up on this host: none within 2 s');
    const pids = readFileSync(join(root, 'pid'), 'utf8').trim().split('\n').map(Number);
    // Whose parent is gone is collected by the first process of the system, which tells nobody.
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), {timeout: 10_000});
  });

  test('names the register at which QEMU aborts', async ({expect}) => {
    const script =
      'echo "qemu-system-x86_64: ../../target/i386/kvm/kvm.c:3183: kvm_buf_set_msrs: Assertion failed." >&2; kill -ABRT $$';
    expect(whyOf(await probed(script))).toContain('register (MSR)');
  });

  test('keeps QEMU’s own words otherwise', async ({expect}) => {
    const script =
      'echo "qemu-system-x86_64: warning: x" >&2; echo "qemu-system-x86_64: failed to initialize kvm: Device or resource busy" >&2; exit 1';
    expect(whyOf(await probed(script))).toBe(
      'QEMU ends with 1 on KVM: failed to initialize kvm: Device or resource busy',
    );
  });
});
