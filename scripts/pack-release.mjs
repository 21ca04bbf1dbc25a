/*
 * `node scripts/pack-release.mjs [DIRECTORY]`: packs bootcut as it is published, into DIRECTORY (packages/). Not plain
 * `npm pack`: that leaves the contents of workspaces out, and our bundled plugins are workspaces. The platform packages
 * become optional dependencies of this very version; the repository's own package.json does not name them, since before
 * a release they are not there to be installed.
 */
import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

/** As in CI's matrix in launcher/README.md. */
const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packs into `directory`; returns the path of the tarball. */
export const packRelease = (directory) => {
  const stage = mkdtempSync(join(tmpdir(), 'bootcut-release-'));
  try {
    const manifest = publishedManifest();
    for (const file of [...manifest.files, 'README.md', 'LICENSE', 'CHANGELOG.md']) {
      if (!existsSync(join(root, file))) continue;
      mkdirSync(dirname(join(stage, file)), {recursive: true});
      cpSync(join(root, file), join(stage, file), {recursive: true});
    }
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    mkdirSync(directory, {recursive: true});
    const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
      cwd: stage,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return join(directory, JSON.parse(packed)[0].filename);
  } finally {
    rmSync(stage, {recursive: true, force: true});
  }
};

const publishedManifest = () => {
  const {
    workspaces: _w,
    scripts: _s,
    devDependencies: _d,
    allowScripts: _a,
    ...manifest
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const launchers = platforms.map((platform) => [`bootcut-launcher-${platform}`, manifest.version]);
  const kernels = [['bootcut-kernel-linux-x64', manifest.version]];
  return {
    ...manifest,
    files: manifest.files.flatMap(expand),
    optionalDependencies: {...manifest.optionalDependencies, ...Object.fromEntries([...launchers, ...kernels])},
  };
};

// npm takes a star in the middle of a path for files only, so such a pattern is given as the paths it stands for.
const expand = (pattern) => {
  const [before, after] = pattern.split('/*/');
  if (after === undefined) return [pattern];
  return readdirSync(join(root, before)).map((name) => join(before, name, after));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(packRelease(resolve(process.argv[2] ?? join(root, 'packages'))));
}
