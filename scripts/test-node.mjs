/* Other releases of Node for the tests, as npm's own packages of the plain binary (no install script runs). */
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The newest releases that were tried, by their major. */
export const otherNodes = {22: '22.23.3', 24: '24.21.0', 26: '26.10.0'};

const cache = fileURLToPath(new URL('../node_modules/.cache/nodes/', import.meta.url));

/** Path of the `node` of this release, fetched when it is not there; undefined when it cannot be had. */
export const nodeOf = (version) => {
  const packageName = `node-${process.platform}-${process.arch}`;
  const directory = join(cache, version);
  const binary = join(directory, 'node_modules', packageName, 'bin', 'node');
  if (existsSync(binary)) return binary;
  try {
    mkdirSync(directory, {recursive: true});
    execFileSync(
      'npm',
      ['install', '--prefix', directory, '--no-save', '--ignore-scripts', '--silent', `${packageName}@${version}`],
      {stdio: ['ignore', 'ignore', 'inherit'], timeout: 180_000},
    );
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
};
