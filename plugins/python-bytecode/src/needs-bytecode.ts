import {accessSync, constants, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileIdentity} from 'bootcut/plugin';

/** Packages that are looked at; the first that has no bytecode decides. */
const most = 200;

/** Python would compile what lies here at every start: it cannot keep the outcome, and nobody else has. */
export const needsBytecode = (directory: string): boolean => !isWritable(directory) && hasUncompiled(directory);

const isWritable = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const known = new Map<string, {readonly identity: string; readonly uncompiled: boolean}>();

/** A directory that cannot be written to does not change often; it is looked through once. */
const hasUncompiled = (directory: string): boolean => {
  const identity = fileIdentity(directory);
  const old = known.get(directory);
  if (old?.identity === identity) return old.uncompiled;
  const uncompiled = lookThrough(directory);
  if (known.size >= 200) known.clear();
  known.set(directory, {identity, uncompiled});
  return uncompiled;
};

const lookThrough = (directory: string): boolean => {
  const names = namesIn(directory);
  if (names.some((name) => name.endsWith('.py')) && !names.includes('__pycache__')) return true;
  return names.slice(0, most).some((name) => {
    const inside = namesIn(join(directory, name));
    return inside.includes('__init__.py') && !inside.includes('__pycache__');
  });
};

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};
