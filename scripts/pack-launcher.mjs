/*
 * `node scripts/pack-launcher.mjs [DIRECTORY]`: makes this machine's platform package, bootcut-launcher-OS-CPU in DIRECTORY
 * (packages/), from the template: the built launcher and a manifest of the same version as bootcut's own. `npm publish` it from there. What the
 * other platforms need is CI's matrix: see launcher/README.md.
 */
import {chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {buildNative} from '../plugins/qemu/native/build.mjs';
import {buildFirstUse, buildLauncher, buildReadAhead} from './build-launcher.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const platform = `${process.platform}-${process.arch}`;
const directory = join(resolve(process.argv[2] ?? join(root, 'packages')), `bootcut-launcher-${platform}`);

const built = buildLauncher();
if (!built.built) {
  console.error(`the launcher was not built: ${built.reason}`);
  process.exit(1);
}
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const template = readFileSync(join(root, 'packages', 'template', 'package.json'), 'utf8');
const values = {PLATFORM: platform, VERSION: version, OS: process.platform, CPU: process.arch};
rmSync(directory, {recursive: true, force: true});
mkdirSync(join(directory, 'bin'), {recursive: true});
writeFileSync(
  join(directory, 'package.json'),
  template.replaceAll(/PLATFORM|VERSION|\bOS\b|\bCPU\b/g, (word) => values[word]),
);
copyFileSync(join(root, 'LICENSE'), join(directory, 'LICENSE'));
copyFileSync(built.target, join(directory, 'bin', 'bootcut-launch'));
chmodSync(join(directory, 'bin', 'bootcut-launch'), 0o755);
// What waits for first uses, and the programs of the runtime qemu, where they are made (Linux).
for (const native of [
  buildFirstUse(),
  buildReadAhead(),
  ...['host', 'agent', 'counter'].map((kind) => buildNative(kind)),
]) {
  if (!native.built) continue;
  copyFileSync(native.target, join(directory, 'bin', basename(native.target)));
  chmodSync(join(directory, 'bin', basename(native.target)), 0o755);
}
console.log(directory);
