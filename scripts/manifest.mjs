/*
 * Writes oclif.manifest.json for the commands in dist/. oclif lists them as the file system does, which differs from one
 * checkout to the next; sorted by name, the tracked file only changes when a command does.
 */
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const path = join(root, 'oclif.manifest.json');

execFileSync(join(root, 'node_modules', '.bin', 'oclif'), ['manifest'], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const manifest = JSON.parse(readFileSync(path, 'utf8'));
const byName = ([left], [right]) => (left < right ? -1 : 1);
manifest.commands = Object.fromEntries(Object.entries(manifest.commands).sort(byName));
writeFileSync(path, JSON.stringify(manifest, null, 2));
