import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The plugin's own directory: this file is at dist/ (or src/ in a test). */
const pluginRoot = fileURLToPath(new URL('..', import.meta.url));
const bootcut = join(pluginRoot, '..', '..');

const name = 'bootcut-read-ahead';
const packaged = join(`bootcut-launcher-${process.platform}-${process.arch}`, 'bin', name);

/** Where the build leaves it; and the package of the platform, beside bootcut's own or below it. */
const places = [
  join(pluginRoot, 'native', name),
  join(bootcut, '..', packaged),
  join(bootcut, 'node_modules', packaged),
];

/** Undefined where it has not been built (no C compiler, not Linux): then nothing is read ahead. */
export const readAheadProgram = (): string | undefined => places.find((path) => existsSync(path));
