import {mkdtemp, realpath} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A fresh directory below the system's temporary one (or another), with symbolic links resolved. */
export async function temporaryDirectory(name: string, below = tmpdir()): Promise<string> {
  return realpath(await mkdtemp(join(below, `bootcut-${name}-`)));
}
