/*
 * Turns the notes in .changeset/ into the next version and CHANGELOG.md. Changesets leaves the root of a repository with
 * workspaces out, and the root is what we publish; so it is shown the repository without them.
 */
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const path = join(root, 'package.json');
const original = readFileSync(path, 'utf8');
const {workspaces: _, ...single} = JSON.parse(original);
let version = single.version;
try {
  writeFileSync(path, `${JSON.stringify(single, undefined, 2)}\n`);
  execFileSync(join(root, 'node_modules', '.bin', 'changeset'), ['version'], {cwd: root, stdio: 'inherit'});
  version = JSON.parse(readFileSync(path, 'utf8')).version;
} finally {
  writeFileSync(path, original.replace(`"version": "${single.version}"`, `"version": "${version}"`));
}
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {cwd: root, stdio: 'inherit'});
