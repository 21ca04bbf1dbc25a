/* Checks what would be published: the packed tarball's exports and types, by publint and by attw. */
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'bootcut-pack-'));
const run = (name, ...args) =>
  execFileSync(join(root, 'node_modules', '.bin', name), args, {cwd: root, stdio: ['ignore', 'inherit', 'inherit']});

try {
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{filename, size, entryCount}] = JSON.parse(packed);
  console.log(`${filename}: ${Math.round(size / 1024)} KiB, ${entryCount} files`);
  run('publint', join(directory, filename));
  run('attw', join(directory, filename), '--profile', 'esm-only', '--format', 'ascii');
} catch (error) {
  if (error.status === undefined) console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(directory, {recursive: true, force: true});
}
