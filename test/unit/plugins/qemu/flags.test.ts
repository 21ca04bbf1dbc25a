import {describe, test} from 'vitest';
import {type GuestFlags, parseFlags} from '../../../../plugins/qemu/src/flags.js';
import {weighWishes} from '../../../../plugins/qemu/src/settings.js';

const flagsOf = (...args: readonly string[]): GuestFlags => {
  const parsed = parseFlags(['shell', ...args], '/home/ann/project');
  if (!parsed.ok) throw new Error(parsed.text);
  return parsed.flags;
};

const complaintOf = (...args: readonly string[]): string => {
  const parsed = parseFlags(['shell', ...args], '/home/ann/project');
  return parsed.ok ? '' : parsed.text;
};

describe('the flags of a guest', () => {
  test('end at the first bare word, and everything from there is the command', ({expect}) => {
    expect(flagsOf('--memory', '512', 'make', '--cpus', '3')).toMatchObject({memory: 512, cpus: undefined, skip: 3});
  });

  test('end at --, which is none of the command', ({expect}) => {
    expect(flagsOf('--net', 'user', '--', '--memory')).toMatchObject({net: 'user', memory: undefined, skip: 4});
  });

  test('may be all there is', ({expect}) => {
    expect(flagsOf('--net=user')).toMatchObject({net: 'user', skip: 2});
    expect(flagsOf().skip).toBe(1);
  });

  test('a dash alone is a command', ({expect}) => {
    expect(flagsOf('-').skip).toBe(1);
  });

  test('memory is MiB, or a size', ({expect}) => {
    expect(['128', '512M', '2G', '1.5GiB'].map((text) => flagsOf('--memory', text).memory)).toEqual([
      128, 512, 2048, 1536,
    ]);
    expect(['64', '-1', 'much', '1T', ''].map((text) => complaintOf(`--memory=${text}`))).toEqual(
      expect.arrayContaining([expect.stringContaining('--memory must be a number of MiB from 128')]),
    );
  });

  test('more processors than the machine has are refused with their number', ({expect}) => {
    expect(flagsOf('--cpus', '1').cpus).toBe(1);
    expect(complaintOf('--cpus', '100000')).toMatch(/^--cpus must be a number from 1 to \d+/);
    expect(complaintOf('--cpus', '0')).not.toBe('');
  });

  test('a mount has the host’s path unless another is given, and can be written to unless ro', ({expect}) => {
    expect(flagsOf('--mount', '../data', '--mount', '/a:/b:ro', '--mount=/c:rw').mounts).toEqual([
      {host: '/home/ann/data', guest: '/home/ann/data', access: 'rw'},
      {host: '/a', guest: '/b', access: 'ro'},
      {host: '/c', guest: '/c', access: 'rw'},
    ]);
  });

  test.for([
    ['/', 'cannot share the whole host'],
    ['/a:b', 'must be an absolute path'],
    ['/a:/b:/c', 'must be HOST[:GUEST][:ro]'],
    [':/b', 'must be HOST[:GUEST][:ro]'],
    ['/a:/proc/x', 'the guest has its own'],
    ['/a:/', 'the guest has its own'],
  ] as const)('a mount of %s is refused', ([mount, text], {expect}) => {
    expect(complaintOf('--mount', mount)).toContain(text);
  });

  test('a variable is handed on by name or set', ({expect}) => {
    expect(flagsOf('--env', 'CI', '--env', 'A=b=c d').env).toEqual(['CI', 'A=b=c d']);
    expect(complaintOf('--env', '1=x')).toContain('--env must be NAME or NAME=VALUE');
  });

  test.for([
    [['--memory'], '--memory needs a value'],
    [['--memory', '--', 'true'], '--memory needs a value'],
    [['--attach=yes'], '--attach takes no value'],
    [['--image', 'x'], 'has no flag --image; it has --memory,'],
    [['-p', '80'], 'Put -- before a command that begins with a dash'],
  ] as const)('%j is a usage error', ([args, text], {expect}) => {
    expect(complaintOf(...args)).toContain(text);
  });
});

describe('what is wished of a guest', () => {
  const wishes = (settings: Record<string, string | number | boolean>, ...args: readonly string[]) =>
    weighWishes({env: {}, settings}, flagsOf(...args));

  test('emulation is off unless the setting, the variable or the flag allows it', ({expect}) => {
    expect(wishes({}).emulation).toBe(false);
    expect(wishes({emulation: 'allow'}).emulation).toBe(true);
    expect(wishes({}, '--emulate').emulation).toBe(true);
    const variable = (value: string, settings = {}) =>
      weighWishes({env: {BOOTCUT_QEMU_EMULATE: value}, settings}, flagsOf()).emulation;
    expect([variable('1'), variable('0', {emulation: 'allow'}), variable('')]).toEqual([true, false, false]);
  });

  test('a flag goes before a setting, a setting before the default', ({expect}) => {
    expect(wishes({memory: '2G', net: 'user'}, '--net', 'none')).toMatchObject({memory: 2048, cpus: 1, net: 'none'});
  });

  test('a setting that makes no sense is named, and costs nobody a launch', ({expect}) => {
    expect(wishes({memory: 'lots', emulation: 'yes'})).toMatchObject({
      memory: 1024,
      emulation: false,
      complaints: [
        'the setting plugins.qemu.emulation must be allow or never; the default applies',
        expect.stringContaining('plugins.qemu.memory must be a number of MiB'),
      ],
    });
  });
});
