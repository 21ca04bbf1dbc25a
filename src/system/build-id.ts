import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const packageRoot = new URL('../../', import.meta.url);

const readText = (name: string): string | undefined => {
  try {
    return readFileSync(new URL(name, packageRoot), 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** Root folder of this installation, without a closing slash. */
export const installationRoot = fileURLToPath(packageRoot).replace(/\/$/, '');

/**
 * Which build this is: `0.1.0+1796000000.1a2b3c4d` (version, Unix time of the build in seconds, digest of the code),
 * as the build wrote it. Code that runs unbuilt (tests) says `0.0.0+0.source`.
 */
export const buildId = readText('dist/build-id') ?? '0.0.0+0.source';
