import {mkdir, readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {LaunchRig} from '../../rig/launch-rig.js';
import {canBootGuests, emulated, giveGuest} from '../../rig/qemu-guest.js';

describe.skipIf(!canBootGuests())('more directories in a VM', () => {
  let rig: LaunchRig;
  beforeAll(async () => {
    rig = await LaunchRig.create({env: emulated});
    await giveGuest(rig);
    await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  /** Directories below the rig's root with a file `f` that holds their name; each as a flag. */
  const mounts = async (names: readonly string[], access = ''): Promise<readonly string[]> => {
    for (const name of names) {
      await mkdir(join(rig.root, name), {recursive: true});
      await writeFile(join(rig.root, name, 'f'), `${name}\n`);
    }
    return names.flatMap((name) => ['--mount', `${join(rig.root, name)}${access}`]);
  };
  const shell = async (flags: readonly string[], script: string): Promise<string> => {
    const {status, stdout, stderr} = await rig.run([
      ...['shell', '--without', 'standby', ...flags, '--', 'sh', '-c', script, 'sh', rig.root],
    ]);
    return `${status} ${stdout}${stderr}`;
  };

  it('may have any name, and what the guest changes in one that is read-only stays in the guest', async ({expect}) => {
    const names = ['a, b', 'back\\slash', `${'long'.repeat(50)}/${'er'.repeat(60)}`, 'ünï'];
    const flags = await mounts(names, ':ro');
    const script = 'cd "$1" && for d in a,* back* long*/* ün*; do cat "$d/f"; echo changed > "$d/f"; cat "$d/f"; done';
    expect(await shell(flags, script)).toBe(`0 ${names.map((name) => `${name}\nchanged\n`).join('')}`);
    for (const name of names) expect(await readdir(join(rig.root, name))).toEqual(['f']);
  });

  it('may be many, and where they are too many that is said', async ({expect}) => {
    const flags = await mounts(Array.from({length: 40}, (_, index) => `many/${10 + index}`));
    expect(await shell(flags.slice(0, 20), 'cat "$1"/many/*/f | tail -n 1')).toBe('0 many/19\n');
    expect(await shell(flags, 'true')).toMatch(
      /^2 bootcut: --mount: \d+ of 40 directories are more than a VM has devices for; share a directory that several of them are in\n$/,
    );
  });
});
