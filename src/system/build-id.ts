import {builtFile} from './installation.js';
import {readText} from './soft-reads.js';

/**
 * Which build this is: `0.1.0+1796000000.1a2b3c4d` (version, Unix time of the build in seconds, digest of the code),
 * as the build wrote it. Code that runs unbuilt (tests) says `0.0.0+0.source`.
 */
export const buildId = readText(builtFile('build-id'))?.trim() ?? '0.0.0+0.source';
