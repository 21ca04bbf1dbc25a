import {execFileSync} from 'node:child_process';
import {copyFile, mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, it} from 'vitest';
import {LaunchRig} from '../../rig/launch-rig.js';
import {canBootGuests} from '../../rig/qemu-guest.js';
import {haveLauncher} from './scripted-daemon.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const platform = `${process.platform}-${process.arch}`;

const output = (file: string, ...args: string[]): string =>
  execFileSync(file, args, {cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();

/** What `npm install` would make of both tarballs; the dependencies are the repository's own. */
const install = async (modules: string): Promise<void> => {
  const bootcut = output('node', 'scripts/pack-release.mjs', join(modules, '..'));
  const launcher = output('node', 'scripts/pack-launcher.mjs', join(modules, '..', 'packages'));
  await mkdir(join(modules, 'bootcut'), {recursive: true});
  execFileSync('tar', ['-xzf', bootcut, '-C', join(modules, 'bootcut'), '--strip-components', '1']);
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('.') && name !== 'bootcut')
      await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await symlink(launcher, join(modules, `bootcut-launcher-${platform}`));
  await mkdir(join(modules, '.bin'));
  await symlink('../bootcut/bin/bootcut', join(modules, '.bin', 'bootcut'));
};

describe.skipIf(!haveLauncher())('the packed release', () => {
  it('launches with its bundled plugins, through the launcher of the platform package', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const modules = join(rig.root, 'npm', 'node_modules');
    await install(modules);
    const bin = join(modules, '.bin', 'bootcut');
    const launch = async (): Promise<string> =>
      (await rig.shell(`${bin} run --with git-identity -- echo through; ${bin} daemon start >/dev/null`)).stdout;
    expect(await launch()).toBe('through\n');
    expect(await launch()).toBe('through\n');
    expect(await rig.lastRecord()).toMatchObject({front: 'launcher', via: 'daemon', notes: []});
    // The package of the platform has the programs of our own microVM as well: what is missing is a guest.
    const refused = await rig.shell(`${bin} shell --runtime qemu --emulate -- true`);
    if (canBootGuests()) expect(refused.stderr).toContain('there is no guest to boot yet');
  });

  it.skipIf(!canBootGuests())(
    'boots guests with the kernel of its own package, unless another is asked for',
    async ({expect}) => {
      await using rig = await LaunchRig.create();
      const modules = join(rig.root, 'npm', 'node_modules');
      await install(modules);
      // What scripts/pack-kernel.mjs builds takes minutes; any kernel that boots will do to see which one is taken.
      const kernel = join(modules, 'bootcut-kernel-linux-x64');
      const own = (await readdir('/boot')).find((name) => name.startsWith('vmlinuz-'));
      await mkdir(kernel);
      await copyFile(join('/boot', own ?? ''), join(kernel, 'vmlinux'));
      await writeFile(join(kernel, 'package.json'), '{"name": "bootcut-kernel-linux-x64", "version": "7.8.9"}');
      const setup = async (...flags: readonly string[]): Promise<readonly [kind: unknown, said: string]> => {
        const line = [
          join(modules, '.bin', 'bootcut'),
          'setup',
          '--runtime',
          'qemu',
          '--no-daemon',
          '--json',
          ...flags,
        ];
        const {stdout, stderr} = await rig.shell(line.join(' '));
        const {kernel: taken} = JSON.parse(stdout) as {readonly kernel: {readonly kind: unknown}};
        return [taken.kind, stderr];
      };
      expect(await setup()).toEqual([
        'packed',
        expect.stringContaining('the small one of bootcut-kernel-linux-x64 7.8.9'),
      ]);
      expect(await setup('--kernel', 'debian')).toEqual(['debian', expect.not.stringContaining('7.8.9')]);
      expect((await setup('--kernel', 'packed'))[0]).toBe('packed');
    },
  );

  it('names a package for each platform, in its own version', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const tarball = output('node', 'scripts/pack-release.mjs', rig.root);
    execFileSync('tar', ['-xzf', tarball, '-C', rig.root, 'package/package.json']);
    const manifest = JSON.parse(await readFile(join(rig.root, 'package', 'package.json'), 'utf8')) as {
      readonly version: string;
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    for (const name of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])
      expect(manifest.optionalDependencies[`bootcut-launcher-${name}`]).toBe(manifest.version);
    expect(manifest.optionalDependencies['bootcut-kernel-linux-x64']).toBe(manifest.version);
  });
});
