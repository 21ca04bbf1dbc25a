import {readFileSync} from 'node:fs';
import {homedir, hostname} from 'node:os';
import {join} from 'node:path';

/** The one way of proving oneself to an X server that servers and programs of today use. */
export const cookieMethod = 'MIT-MAGIC-COOKIE-1';

/** Kinds of addresses in an authority file: a machine by its name, and any. */
const family = {local: 256, wild: 65_535} as const;

/**
 * The cookie for a display of this machine, from the file that `XAUTHORITY` names or `~/.Xauthority`, as the target itself
 * would find it; undefined where there is none. It goes to the server's own socket and nowhere else.
 */
export const cookieFor = (display: string, env: NodeJS.ProcessEnv): Buffer | undefined => {
  const path = env['XAUTHORITY'] ?? join(env['HOME'] ?? homedir(), '.Xauthority');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  const entries = entriesIn(bytes).filter(
    ({number, method}) => method === cookieMethod && (number === '' || number === display),
  );
  const own = entries.find((entry) => entry.family === family.local && entry.address === hostname());
  return (own ?? entries.find((entry) => entry.family === family.wild))?.data;
};

interface Entry {
  readonly family: number;
  readonly address: string;
  /** Of the display; empty: of any. */
  readonly number: string;
  readonly method: string;
  readonly data: Buffer;
}

/** Entries as Xau writes them: the family, then four fields, each after its length; all numbers big-endian. */
const entriesIn = (bytes: Buffer): readonly Entry[] => {
  const entries: Entry[] = [];
  let at = 0;
  const field = (): Buffer | undefined => {
    if (at + 2 > bytes.length) return undefined;
    const [from, length] = [at + 2, bytes.readUInt16BE(at)];
    at = from + length;
    return at > bytes.length ? undefined : bytes.subarray(from, at);
  };
  while (at + 2 <= bytes.length) {
    const kind = bytes.readUInt16BE(at);
    at += 2;
    const [address, number, method, data] = [field(), field(), field(), field()];
    if (address === undefined || number === undefined || method === undefined || data === undefined) break; // cut short
    entries.push({
      family: kind,
      address: address.toString('latin1'),
      number: number.toString('latin1'),
      method: method.toString('latin1'),
      data,
    });
  }
  return entries;
};
