import {accessSync, constants, statSync} from 'node:fs';
import {isAbsolute, join, resolve} from 'node:path';

/** Most directories of a PATH do not have the file: that is found out without an error, which costs more than the look. */
const isExecutableFile = (path: string): boolean => {
  try {
    if (statSync(path, {throwIfNoEntry: false})?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
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
  for (const item of (launch.env['PATH'] ?? defaultPath).split(':')) {
    const directory = resolve(launch.cwd, item === '' ? '.' : item);
    const path = join(directory, name);
    if (!except.includes(directory) && isExecutableFile(path)) return path;
  }
  return undefined;
};
