/* Builds what is not up to date: the launcher, dist/, plugins/*\/dist/, the build's name and oclif's manifest. */
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {buildAll as buildNativeQemu} from '../plugins/qemu/native/build.mjs';
import {buildFirstUse, buildLauncher, buildReadAhead} from './build-launcher.mjs';
import {bundle} from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (...command) =>
  execFileSync(command[0], command.slice(1), {cwd: root, stdio: ['ignore', 'inherit', 'inherit']});

const files = (directory) =>
  readdirSync(join(root, directory), {withFileTypes: true, recursive: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

const digest = (paths) => {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 16);
};

const plugins = readdirSync(join(root, 'plugins')).filter((name) =>
  existsSync(join(root, 'plugins', name, 'tsconfig.json')),
);
const sources = ['src', ...plugins.map((name) => `plugins/${name}/src`)].flatMap(files);
const configs = [
  'package.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
].map((name) => join(root, name));
const stamp = join(root, 'dist', '.sources');
const wanted = digest([...sources, ...configs]);

// It has its own list of sources. Without it everything works as well, only slower.
const launcher = buildLauncher();
if (!launcher.built) console.log(`launcher: not built, ${launcher.reason}; launches go through Node`);

const firstUse = buildFirstUse();
if (!firstUse.built) {
  console.log(`bootcut-first-use: not built, ${firstUse.reason}; steps are not put off to their first use`);
}
const readAhead = buildReadAhead();
if (!readAhead.built) console.log(`bootcut-read-ahead: not built, ${readAhead.reason}; warm-pages does nothing`);

buildNativeQemu();

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(join(root, 'dist', 'build-id')))
  process.exit(0);

// A file whose source is gone must not stay behind as a command.
for (const directory of ['dist', ...plugins.map((name) => `plugins/${name}/dist`)]) {
  rmSync(join(root, directory), {recursive: true, force: true});
}
run('npx', '--no-install', 'tsc', '-p', 'tsconfig.build.json');
await bundle(join(root, 'dist'));
for (const name of plugins) run('npx', '--no-install', 'tsc', '-p', `plugins/${name}/tsconfig.json`);

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const built = ['dist', ...plugins.map((name) => `plugins/${name}/dist`)]
  .flatMap(files)
  .filter((path) => path.endsWith('.js'));
mkdirSync(join(root, 'dist'), {recursive: true});
writeFileSync(
  join(root, 'dist', 'build-id'),
  `${version}+${Math.floor(Date.now() / 1000)}.${digest(built).slice(0, 8)}\n`,
);
if (existsSync(join(root, 'dist', 'commands'))) run(process.execPath, 'scripts/manifest.mjs');
writeFileSync(stamp, wanted);
