/* Checks what would be published: the packed tarball's exports and types, by publint and by attw. */
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {packRelease} from './pack-release.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'bootcut-pack-'));
const run = (name, ...args) =>
  execFileSync(join(root, 'node_modules', '.bin', name), args, {cwd: root, stdio: ['ignore', 'inherit', 'inherit']});

try {
  const tarball = packRelease(directory);
  console.log(`${basename(tarball)}: ${Math.round(statSync(tarball).size / 1024)} KiB`);
  run('publint', tarball);
  run('attw', tarball, '--profile', 'esm-only', '--format', 'ascii');
} catch (error) {
  if (error.status === undefined) console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(directory, {recursive: true, force: true});
}
