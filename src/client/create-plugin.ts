import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {done, failed, type Result} from '../model/failure.js';
import {installationRoot} from '../system/installation.js';

/** A new plugin package. */
export interface CreatedPlugin {
  readonly name: string;
  readonly directory: string;
  readonly files: readonly string[];
}

const template = join(installationRoot, 'templates', 'plugin');

const validName = /^[a-z0-9][a-z0-9-]{0,60}$/;

/** Makes a plugin package from the template, in a directory that must not be there yet; leaves nothing behind when it fails. */
export const createPlugin = (name: string, directory: string): Result<CreatedPlugin> => {
  const path = resolve(directory);
  if (!validName.test(name))
    return failed({
      reason: 'bad-argument',
      detail: `'${name}' cannot be a plugin's name: small letters, digits and - only`,
    });
  if (existsSync(join(installationRoot, 'plugins', name)))
    return failed({reason: 'bad-argument', detail: `bootcut comes with a plugin ${name}; choose another name`});
  if (existsSync(path)) return failed({reason: 'directory-exists', path});
  let isMade = false;
  try {
    mkdirSync(dirname(path), {recursive: true});
    mkdirSync(path);
    isMade = true;
    cpSync(template, path, {recursive: true});
    const files = readdirSync(path).sort();
    for (const file of files) fillIn(join(path, file), name);
    linkOurselves(path);
    return done({name, directory: path, files});
  } catch (error) {
    if (isMade) rmSync(path, {recursive: true, force: true});
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return failed({reason: 'bad-argument', detail: `${path} cannot be made (${code})`});
  }
};

const fillIn = (path: string, name: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('{{name}}', name));

/** So that `bootcut/plugin` is found by tests and editors. Launches do not need it. */
const linkOurselves = (directory: string): void => {
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(installationRoot, join(directory, 'node_modules', 'bootcut'));
};
