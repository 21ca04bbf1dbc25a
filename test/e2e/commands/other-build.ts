import {cpSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A second installation of the same code under another build's name; returns its command. */
export const installAs = (directory: string, build: string): string => {
  mkdirSync(directory);
  for (const name of ['bin', 'dist', 'package.json', 'oclif.manifest.json', 'plugins', 'templates'])
    cpSync(join(root, name), join(directory, name), {recursive: true});
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'dist', 'build-id'), `${build}\n`);
  return join(directory, 'bin', 'bootcut');
};
