import {mkdtemp, realpath} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A fresh directory below the system's temporary one, with symbolic links resolved. */
export async function temporaryDirectory(name: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `bootcut-${name}-`)));
}
