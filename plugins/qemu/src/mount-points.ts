import {readFileSync} from 'node:fs';

/** The kernel's list of what is mounted where: the fifth word of a line is the place. */
const listed = '/proc/self/mountinfo';

/** Is another file system mounted below this directory? Also where that cannot be found out. */
export const hasMountsBelow = (path: string, list = readList()): boolean =>
  list === undefined ||
  list.split('\n').some((line) => {
    const place = (line.split(' ', 5)[4] ?? '').replace(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    return place.startsWith(path === '/' ? path : `${path}/`) && place !== '/';
  });

const readList = (): string | undefined => {
  try {
    return readFileSync(listed, 'utf8');
  } catch {
    return undefined;
  }
};
