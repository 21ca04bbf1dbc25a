import {readdirSync, readFileSync} from 'node:fs';

/** Most processes of one launch that are looked at. */
const mostProcesses = 64;

/** A process and everything it has started that still belongs to it. A process that ends meanwhile is left out. */
export const processTree = (root: number): readonly number[] => {
  const found = [root];
  for (const pid of found) {
    if (found.length >= mostProcesses) break;
    found.push(...childrenOf(pid).slice(0, mostProcesses - found.length));
  }
  return found;
};

/** Each thread has a list of its own. */
const childrenOf = (pid: number): readonly number[] =>
  list(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );

const list = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** A small file of /proc; empty when its process is gone. */
export const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
