/*
 * `node scripts/pack-kernel.mjs [DIRECTORY]`: makes the package with the small kernel, bootcut-kernel-linux-x64 in DIRECTORY
 * (packages/), of the same version as bootcut's own. `setup` builds the kernel (five minutes on two cores; kept below
 * node_modules/.cache, as for the bench), from Debian's linux-source as root may install it. Linux is under the GPL, so it is
 * a package of its own, with its configuration and the name of its sources.
 */
import {spawnSync} from 'node:child_process';
import {chmodSync, copyFileSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const name = 'bootcut-kernel-linux-x64';
const directory = join(resolve(process.argv[2] ?? join(root, 'packages')), name);
const data = join(root, 'node_modules', '.cache', 'bootcut-small-guest');

const stop = (text) => {
  console.error(`pack-kernel: ${text}`);
  process.exit(1);
};

mkdirSync(data, {recursive: true});
const setup = spawnSync(
  join(root, 'bin', 'bootcut'),
  ['setup', '--runtime', 'qemu', '--kernel', 'small', '--yes', '--json'],
  {
    env: {...process.env, BOOTCUT_DATA_DIR: data, BOOTCUT_NO_DAEMON: '1'},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  },
);
if (setup.status !== 0) stop(`the kernel was not built:\n${setup.stderr}`);
const [, source] = /built from (\S+ \S+?)\.?\n/.exec(setup.stderr) ?? [];
if (source === undefined) stop(`setup did not say what it was built from:\n${setup.stderr}`);
const {kernel} = JSON.parse(setup.stdout);

const {version, license: _own, ...manifest} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
rmSync(directory, {recursive: true, force: true});
mkdirSync(directory, {recursive: true});
writeFileSync(
  join(directory, 'package.json'),
  `${JSON.stringify(
    {
      name,
      version,
      description: `A small Linux ${kernel.release} for bootcut's microVMs`,
      license: 'GPL-2.0-only WITH Linux-syscall-note',
      repository: manifest.repository,
      os: ['linux'],
      cpu: ['x64'],
      files: ['vmlinux', 'small.config', 'COPYING'],
    },
    undefined,
    2,
  )}\n`,
);
writeFileSync(
  join(directory, 'README.md'),
  `# ${name}

Linux ${kernel.release} for the guests of bootcut's runtime \`qemu\`: everything that such a guest needs built in, nothing else.

Built by \`node scripts/pack-kernel.mjs\` from Debian's source package \`${source}\`, unchanged, with \`make tinyconfig\`, the lines of \`small.config\`, \`make olddefconfig\` and \`make vmlinux\`; then stripped. \`apt-get source\` or \`apt-get install\` of that package gives the sources. Linux is under the GPL, version 2: see \`COPYING\`.
`,
);
copyFileSync(realpathSync(kernel.path), join(directory, 'vmlinux'));
chmodSync(join(directory, 'vmlinux'), 0o644);
copyFileSync(join(root, 'plugins', 'qemu', 'kernel', 'small.config'), join(directory, 'small.config'));
copyFileSync('/usr/share/common-licenses/GPL-2', join(directory, 'COPYING'));
console.log(directory);
