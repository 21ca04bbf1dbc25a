import {describe, test} from 'vitest';
import {kernelCommandLine, type Machine, machineArguments} from '../../../../plugins/qemu/src/machine.js';

const machine: Machine = {
  kernel: '/data/vmlinux',
  initrd: '/data/initrd',
  memory: 1024,
  cpus: 1,
  accelerator: 'tcg',
  tscKhz: 2_596_132,
  shares: [],
  net: 'none',
};

const textOf = (changes: Partial<Machine>): string => machineArguments({...machine, ...changes}).join(' ');

describe('the machine arguments of a guest', () => {
  test('an emulated guest is told the speed of the time stamp counter, without which one boot in three hangs', ({
    expect,
  }) => {
    expect(kernelCommandLine({accelerator: 'tcg', tscKhz: 2_596_132})).toBe(
      'console=ttyS0 reboot=t panic=-1 quiet tsc_early_khz=2596132 tsc=reliable no_timer_check mitigations=off norandmaps cryptomgr.notests noreplace-smp lsm= noautogroup psi=0',
    );
  });

  test('a guest on KVM asks KVM for the time and has the host’s processor', ({expect}) => {
    expect(kernelCommandLine({accelerator: 'kvm', tscKhz: 2_596_132})).not.toContain('tsc');
    expect(textOf({accelerator: 'kvm'})).toContain('-accel kvm -cpu host');
  });

  test('an emulated processor is one that QEMU emulates without a warning', ({expect}) => {
    expect(textOf({})).toContain('-accel tcg -cpu Nehalem-v1');
  });

  test('memory and processors are as asked, and nothing is there that was not asked for', ({expect}) => {
    const text = textOf({memory: 2048, cpus: 2});
    expect(text).toContain('-m 2048 -smp 2');
    expect(text).toContain('-nodefaults -no-user-config -display none');
    expect(text).not.toMatch(/net|fsdev|memory-backend|sandbox/);
  });

  test('a share that may only be read is closed by QEMU, not by the guest', ({expect}) => {
    const shares = [
      {tag: 'usr', path: '/usr', access: 'ro'},
      {tag: 'dir0', path: '/home/ann/project', access: 'rw'},
    ] as const;
    const args = machineArguments({...machine, shares});
    expect(args).toContain('local,id=usr,path=/usr,security_model=none,multidevs=remap,readonly=on');
    expect(args).toContain('local,id=dir0,path=/home/ann/project,security_model=none,multidevs=remap');
    expect(args).toContain('virtio-9p-device,fsdev=dir0,mount_tag=dir0');
  });

  test('inode numbers of several file systems are told apart where there may be several', ({expect}) => {
    const shares = [
      {tag: 'usr', path: '/usr', access: 'ro', isOneDisk: true},
      {tag: 'opt', path: '/opt', access: 'ro', isOneDisk: false},
    ] as const;
    const args = machineArguments({...machine, shares});
    expect(args).toContain('local,id=usr,path=/usr,security_model=none,readonly=on');
    expect(args).toContain('local,id=opt,path=/opt,security_model=none,multidevs=remap,readonly=on');
  });

  test('has few slots for devices where few are enough', ({expect}) => {
    const share = (at: number): {tag: string; path: string; access: 'rw'} => ({tag: `d${at}`, path: '/', access: 'rw'});
    const shares = Array.from({length: 7}, (_, at) => share(at));
    expect(textOf({shares})).toContain('-M microvm,rtc=on,ioapic2=off ');
    expect(textOf({shares: [...shares, share(7)]})).toContain('-M microvm,rtc=on ');
    expect(textOf({shares, net: 'user'})).toContain('-M microvm,rtc=on ');
  });

  test('a comma in a path does not begin another option', ({expect}) => {
    const shares = [{tag: 'dir0', path: '/tmp/a,readonly=off', access: 'ro'}] as const;
    expect(textOf({shares})).toContain('path=/tmp/a,,readonly=off,security_model=none');
  });

  test('a network exists only when asked for', ({expect}) => {
    expect(textOf({net: 'user'})).toContain('-netdev user,id=net -device virtio-net-device,netdev=net');
  });

  test('QEMU is confined where it can be', ({expect}) => {
    expect(textOf({sandbox: true})).toContain('-sandbox on,');
  });

  test('the memory of a saved guest is a file, shared by who writes it and private to who starts from it', ({
    expect,
  }) => {
    const saved = textOf({memoryFile: {path: '/data/ram', shared: true}});
    expect(saved).toContain('-M microvm,rtc=on,ioapic2=off,memory-backend=mem ');
    expect(saved).toContain('-object memory-backend-file,id=mem,size=1024M,mem-path=/data/ram,share=on');
    expect(textOf({memoryFile: {path: '/data/ram', shared: false}})).toContain('share=off');
  });
});
