import {accessSync, constants, statSync} from 'node:fs';
import {isAbsolute, join, resolve} from 'node:path';

const isExecutableFile = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** The PATH a shell uses when the variable is unset (glibc's `_CS_PATH`). */
const defaultPath = '/bin:/usr/bin';

/**
 * Finds a command the way `execvp` does, with the launch's own PATH and directory (an empty PATH item is the current
 * directory). Directories in `except` are passed over: a shim must not find itself.
 */
export const findExecutable = (
  launch: {readonly env: Readonly<Record<string, string>>; readonly cwd: string},
  name: string,
  except: readonly string[] = [],
): string | undefined => {
  if (name.includes('/')) {
    const path = isAbsolute(name) ? name : resolve(launch.cwd, name);
    return isExecutableFile(path) ? path : undefined;
  }
  const directories = (launch.env['PATH'] ?? defaultPath).split(':');
  return directories
    .map((directory) => resolve(launch.cwd, directory === '' ? '.' : directory))
    .filter((directory) => !except.includes(directory))
    .map((directory) => join(directory, name))
    .find(isExecutableFile);
};
