import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';

export interface StubJvm {
  /** Lines of the `release` file; undefined for none. */
  readonly release?: string | undefined;
  /** What `bin/java` is. Default: a script that shows how it was called. */
  readonly java?: string | Buffer;
  /** Files besides, by path. Default: HotSpot's library. */
  readonly files?: readonly string[];
}

/** Says how it was called and its whole environment (`_` is whatever the shell did last). */
export const showCall = `#!/bin/sh
printf '[%s]' "$@"
echo
/usr/bin/env | /usr/bin/grep -v '^_=' | /usr/bin/sort
`;

/** The head of an ELF file: what a real java begins with. */
export const elf = Buffer.from('\x7fELF\x02\x01\x01', 'latin1');

/** A JDK's directory with the files by which it is known; returns its java. */
export const stubJvm = (
  home: string,
  {release, java = showCall, files = ['lib/server/libjvm.so']}: StubJvm,
): string => {
  const put = (name: string, data: string | Buffer): string => {
    const path = join(home, name);
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, data);
    return path;
  };
  for (const file of files) put(file, 'not really');
  if (release !== undefined) put('release', release);
  const path = put('bin/java', java);
  chmodSync(path, 0o755);
  return path;
};

export const releaseOf = (version: string, more = ''): string =>
  `IMPLEMENTOR="Somebody"\nJAVA_VERSION="${version}"\n${more}`;
