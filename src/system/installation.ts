import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/*
 * The only module that goes by its own place: dist/chunks once it is built (scripts/bundle.mjs sees to that), src/system in a
 * test.
 */

/** Root folder of this installation, without a closing slash. */
export const installationRoot = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

/** A file of the build by its name below `dist`. It is there once `npm run build` has run. */
export const builtFile = (name: string): string => join(installationRoot, 'dist', name);
