import {readFileSync} from 'node:fs';
import type {JavaCall} from './types.js';

/*
 * What the shim of a launch that is learnt from writes down of the call: items that end with a zero byte. First the
 * directory and CLASSPATH, then the arguments up to the main class, properties without their values: those may be secrets.
 */

export const readRecordedCall = (path: string): JavaCall | undefined => {
  const items = readFileSync(path, 'utf8').split('\0');
  // Without the last zero byte it was cut off.
  if (items.pop() !== '') return undefined;
  const [cwd, classPath, ...args] = items;
  return cwd === undefined || classPath === undefined ? undefined : {cwd, env: {CLASSPATH: classPath}, args};
};
