import {execFileSync} from 'node:child_process';
import {copyFile, cp, mkdir, symlink} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {bootcut, LaunchRig, launcher, quoted} from '../../rig/launch-rig.js';
import {requireProgram} from '../../rig/program.js';
import {haveLauncher} from './scripted-daemon.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe.skipIf(!haveLauncher())('bin/bootcut and the launcher', () => {
  let rig: LaunchRig;
  beforeAll(async () => {
    rig = await LaunchRig.create();
    await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  const frontOf = async (line: string): Promise<string> => {
    await rig.shell(line);
    return (await rig.lastRecord()).front;
  };

  it.for([
    ['as it is', quoted(bootcut)],
    ['through a link that npm did not make', '../link'],
    ['through npm’s global link', '../global/bin/bootcut'],
    ['through npm’s local link', '../local/node_modules/.bin/bootcut'],
  ] as const)('find each other %s', async ([, path], {expect}) => {
    const links: readonly (readonly [string, string])[] = [
      ['link', bootcut],
      ['global/lib/node_modules/bootcut', root],
      ['global/bin/bootcut', '../lib/node_modules/bootcut/bin/bootcut'],
      ['local/node_modules/bootcut', root],
      ['local/node_modules/.bin/bootcut', '../bootcut/bin/bootcut'],
    ];
    for (const [name, target] of links) {
      await mkdir(dirname(join(rig.root, name)), {recursive: true});
      await symlink(target, join(rig.root, name)).catch(() => undefined); // made by the test before
    }
    expect(await frontOf(`${path} run -- true`)).toBe('launcher');
  });

  it('find each other under any sh', async ({expect}) => {
    for (const shell of ['dash', 'bash --posix', 'bash']) {
      expect(await frontOf(`${shell} ${quoted(bootcut)} run -- true`), shell).toBe('launcher');
    }
  });

  it('find each other where npm puts the package of the platform', async ({expect}) => {
    const modules = join(rig.root, 'npm', 'node_modules');
    const packaged = join(modules, `bootcut-launcher-${process.platform}-${process.arch}`, 'bin');
    await mkdir(packaged, {recursive: true});
    await copyFile(launcher, join(packaged, 'bootcut-launch'));
    await mkdir(join(modules, 'bootcut', 'bin'), {recursive: true});
    await cp(join(root, 'dist'), join(modules, 'bootcut', 'dist'), {recursive: true}); // the same build as the daemon's
    await copyFile(bootcut, join(modules, 'bootcut', 'bin', 'bootcut'));
    expect(await frontOf(`${quoted(join(modules, 'bootcut', 'bin', 'bootcut'))} run -- true`)).toBe('launcher');
  });

  it('work by the launcher’s own name, too', async ({expect}) => {
    await symlink(launcher, join(rig.root, 'by-itself'));
    expect(await frontOf('../by-itself run -- true')).toBe('launcher');
    expect((await rig.shell('../by-itself --version')).stdout).toMatch(/^bootcut\//);
  });

  it('start no process but the target and the witness', async ({expect}) => {
    requireProgram('strace', 'strace');
    const file = join(rig.root, 'trace');
    await rig.shell(
      `strace -f -e trace=fork,vfork,clone,clone3,execve -o ${quoted(file)} ${quoted(bootcut)} run -- /bin/true`,
    );
    const text = execFileSync('cat', [file], {encoding: 'utf8'});
    expect(text.match(/execve\(/g)?.length).toBe(3);
    expect(text.match(/(?:fork|vfork|clone3?)\(/g)?.length).toBe(2);
  });

  it('leave the front to Node when told so, and tell the target nothing of it', async ({expect}) => {
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', 'env | grep ^BOOTCUT_'], {env: {BOOTCUT_FRONT: 'node'}});
    expect(stdout).toBe('');
    expect((await rig.lastRecord()).front).toBe('node');
    expect((await rig.run(['run', '--', 'sh', '-c', 'env | grep ^BOOTCUT_'])).stdout).toBe('');
    expect((await rig.lastRecord()).front).toBe('launcher');
  });

  it('hand over to Node with everything the caller had', async ({expect}) => {
    const probe = `grep SigIgn /proc/self/status; cat <&9; [ -e /proc/self/fd/0 ] || echo closed; echo "$ODD" | od -An -tx1`;
    const line = `export ODD=$'\\xff'; trap '' USR1; $FRONT sh -c ${quoted(probe)} <&- 9<<<nine`;
    const direct = await rig.shell(line.replace('$FRONT', ''));
    const through = await rig.shell(line.replace('$FRONT', `${quoted(bootcut)} run --no-daemon --`));
    expect(through.stdout).toBe(direct.stdout);
    expect(await rig.lastRecord()).toMatchObject({front: 'node', via: 'in-process'});
  });

  it('bring descriptors 3 to 15 and 200 to the target by number, and not the script’s own', async ({expect}) => {
    const numbers = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 200];
    const redirections = numbers.map((number) => `${number}<<<${number}`).join(' ');
    const probe = `for fd in ${numbers.join(' ')}; do read -r -u $fd line && echo "$line"; done; exec ls /proc/self/fd`;
    const direct = await rig.shell(`bash -c ${quoted(probe)} ${redirections}`);
    const through = await rig.shell(`${quoted(bootcut)} run -- bash -c ${quoted(probe)} ${redirections}`);
    expect(through.stdout).toBe(direct.stdout);
    expect(through.stdout.startsWith(numbers.map((number) => `${number}\n`).join(''))).toBe(true);
    expect((await rig.lastRecord()).front).toBe('launcher');
  });
});

describe.skipIf(!haveLauncher())('the fuzzer', () => {
  it('finds nothing in three seconds', {timeout: 120_000}, async ({expect}) => {
    expect(
      execFileSync(process.execPath, [join(root, 'scripts', 'fuzz-launcher.mjs'), '3'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ).toMatch(/^fuzzing /);
  });
});
