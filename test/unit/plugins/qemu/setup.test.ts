import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {parseArguments} from '../../../../plugins/qemu/src/setup/arguments.js';
import {cpioArchive, directory, plainFile, program} from '../../../../plugins/qemu/src/setup/cpio.js';
import {readKernelImage} from '../../../../plugins/qemu/src/setup/kernel-image.js';
import {findModules} from '../../../../plugins/qemu/src/setup/modules.js';
import {clearWorkshops, lockSetup, makeWhole, switchLink} from '../../../../plugins/qemu/src/setup/places.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('qemu-setup');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const at = (...names: readonly string[]): string => join(root, ...names);

describe('the arguments of setup', () => {
  const parsed = (...args: readonly string[]) => parseArguments(['setup', ...args], '/work');

  test('name a kernel by word or by path', ({expect}) => {
    expect(parsed('--kernel=packed')).toMatchObject({wanted: {kernel: {kind: 'packed'}}});
    expect(parsed('--kernel', 'small', '--yes', '--json')).toEqual({
      kind: 'setup',
      wanted: {kernel: {kind: 'small'}, yes: true, json: true},
    });
    expect(parsed('--kernel=./vmlinux')).toMatchObject({wanted: {kernel: {kind: 'path', path: '/work/vmlinux'}}});
  });

  test('that are none are said so', ({expect}) => {
    expect(parsed('--kernel')).toMatchObject({kind: 'usage'});
    expect(parsed('now')).toMatchObject({kind: 'usage', text: expect.stringContaining('no flag or argument now')});
    expect(parsed('--help')).toEqual({kind: 'help'});
  });
});

describe('an initramfs', () => {
  test('is what cpio reads', ({expect}) => {
    const archive = cpioArchive([
      {path: 'init', mode: program, content: Buffer.from('#!agent')},
      {path: 'modules', mode: directory},
      {path: 'modules/order', mode: plainFile, content: Buffer.from('a\n')},
    ]);
    const made = spawnSync('cpio', ['-i', '--quiet'], {cwd: root, input: archive});
    // Where there is no cpio, the kernel of the e2e tests is the reader.
    if (made.error !== undefined) return;
    expect(readFileSync(at('init'), 'utf8')).toBe('#!agent');
    expect(readFileSync(at('modules', 'order'), 'utf8')).toBe('a\n');
  });
});

/** A bzImage as far as its header goes: one sector of setup code, then the payload. */
const bzImage = (payload: Buffer): Buffer => {
  const head = Buffer.alloc(1024);
  head.writeUInt8(1, 0x1f1);
  head.write('HdrS', 0x202, 'latin1');
  head.writeUInt16LE(0x300 - 0x200, 0x20e);
  head.write('6.1.0-test (ann@host) #1 SMP\0', 0x300, 'latin1');
  head.writeUInt32LE(16, 0x248);
  head.writeUInt32LE(payload.length + 4, 0x24c);
  return Buffer.concat([head, Buffer.alloc(16), payload, Buffer.from([1, 2, 3, 4])]);
};

const elf = Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.from('Linux version 6.1.0-elf (ann@host)')]);

describe('a kernel image', () => {
  test('is taken out of its compressed form', async ({expect}) => {
    const packed = [gzipSync(elf), execFileSync('xz', ['-c', '--check=crc32'], {input: elf})];
    for (const payload of packed) {
      const {image, release, packedFor} = await readKernelImage(bzImage(payload), 'k');
      expect([image.equals(elf), release, packedFor]).toEqual([true, '6.1.0-test', undefined]);
    }
  });

  test('that cannot be unpacked stays as it is, with the reason', async ({expect}) => {
    const whole = bzImage(Buffer.from('what is this'));
    expect(await readKernelImage(whole, 'k')).toMatchObject({image: whole, packedFor: expect.any(String)});
  });

  test('that is an ELF file is one already, and says its release', async ({expect}) => {
    expect(await readKernelImage(elf, 'k')).toEqual({image: elf, release: '6.1.0-elf', packedFor: undefined});
  });

  test('must be one', async ({expect}) => {
    await expect(readKernelImage(Buffer.from('#!/bin/sh\n'), '/bin/x')).rejects.toThrow(
      '/bin/x is neither a bzImage nor a vmlinux for x86-64',
    );
  });
});

describe('the modules of a kernel', () => {
  const put = (name: string, depends: string): void => {
    mkdirSync(at('kernel'), {recursive: true});
    writeFileSync(at('kernel', `${name}.ko`), `license=GPL\0depends=${depends}\0retpoline=Y\0`);
  };

  test('come with those that they need, which are loaded first; built-in ones are left out', async ({expect}) => {
    put('virtio_mmio', 'virtio_ring,virtio');
    put('virtio_ring', '');
    put('virtio', '');
    put('9pnet_virtio', '9pnet,virtio');
    put('9pnet', '');
    put('9p', '9pnet,netfs');
    put('netfs', '');
    put('overlay', '');
    writeFileSync(at('modules.builtin'), 'kernel/drivers/char/virtio_console.ko\n');
    const names = (await findModules(root)).map(({name}) => name);
    expect(names).toEqual(['virtio_ring', 'virtio', 'virtio_mmio', '9pnet', '9pnet_virtio', 'netfs', '9p', 'overlay']);
  });

  test('that are missing end the setup, by name', async ({expect}) => {
    put('virtio_mmio', '');
    await expect(findModules(root)).rejects.toThrow(/has no virtio_console/);
  });
});

describe('places', () => {
  test('are made whole, or are not there', async ({expect}) => {
    const place = at('kernels', 'k1');
    const fails = makeWhole(place, async (making) => {
      writeFileSync(join(making, 'half'), '');
      throw new Error('no space');
    });
    await expect(fails).rejects.toThrow('no space');
    expect(readdirSync(at('kernels'))).toEqual([]);
    expect(await makeWhole(place, async (making) => writeFileSync(join(making, 'whole'), ''))).toBe('made');
    expect(await makeWhole(place, async () => expect.unreachable())).toBe('there');
    expect(readdirSync(place)).toEqual(['whole']);
  });

  test('what a killed setup left goes at the next one', ({expect}) => {
    mkdirSync(at('kernels', '.making-abc'), {recursive: true});
    mkdirSync(at('kernels', 'k1'));
    clearWorkshops([at('kernels'), at('absent')]);
    expect(readdirSync(at('kernels'))).toEqual(['k1']);
  });

  test('a link leads to one place or the other at every moment', ({expect}) => {
    switchLink(at('current'), at('guests', 'a'));
    switchLink(at('current'), at('guests', 'b'));
    expect(readlinkSync(at('current'))).toBe('guests/b');
    expect(existsSync(at('.making-current'))).toBe(false);
  });

  test('are one setup’s at a time', async ({expect}) => {
    const lock = await lockSetup(root);
    await expect(lockSetup(root)).rejects.toThrow('another setup is at work');
    lock.close();
    const next = await lockSetup(root);
    next.close();
  });
});
