import {closeSync, existsSync, openSync, readSync} from 'node:fs';
import {readText} from '../system/soft-reads.js';

/** A listening socket of this network namespace. */
export interface Listener {
  /** `127.0.0.1:8080`, `[::1]:8080`, or a path. */
  readonly address: string;
  readonly inode: string;
}

/** The state LISTEN in `/proc/net/tcp`. */
const listening = '0A';

/** Bytes that are asked for at a time: the kernel walks on through its tables for as much as is asked. */
const readSize = 512;

/**
 * Sockets that listen on a TCP port, of either family, one by one. Listening sockets stand at the head of the kernel's
 * table; what follows is a walk through hundreds of thousands of empty places, 6 to 10 ms long, that nobody needs: whoever
 * has found what was looked for stops asking. Nothing where there is no `/proc/net`.
 */
export function* tcpListeners(port: number): Generator<Listener> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of headLines(path)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state !== listening) break;
      if (local.endsWith(wanted)) yield {address: `${addressOf(local)}:${port}`, inode};
    }
  }
}

/** Is there a table of sockets here at all? */
export const knowsListeners = (): boolean => existsSync('/proc/net/tcp');

/**
 * How many TCP sockets are in use, listening ones among them, as a text to compare. Tells in microseconds that nothing has
 * changed; one that came while another went looks the same, so the tables are read now and then all the same.
 */
export const socketsInUse = (): string =>
  ['/proc/net/sockstat', '/proc/net/sockstat6']
    .map((path) => /^TCP6?: inuse (\d+)/m.exec(readText(path) ?? '')?.[1] ?? '')
    .join();

/** Lines below the heading, read only as far as they are asked for. */
function* headLines(path: string): Generator<string> {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    const buffer = Buffer.alloc(readSize);
    let rest = '';
    let isHeading = true;
    for (let length = readSync(descriptor, buffer); length > 0; length = readSync(descriptor, buffer)) {
      const lines = (rest + buffer.toString('latin1', 0, length)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!isHeading) yield line;
        isHeading = false;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Sockets that listen on a path; undefined where there is no `/proc/net`. */
export const unixListeners = (path: string): readonly Listener[] | undefined =>
  readText('/proc/net/unix')
    ?.split('\n')
    .flatMap((line): readonly Listener[] => {
      const [, , , flags, , , inode = '', ...name] = line.split(/ +/);
      return flags === '00010000' && name.join(' ') === path ? [{address: path, inode}] : [];
    });

/** The kernel prints addresses as hexadecimal words in the machine's own order of bytes: little on all we know. */
const addressOf = (local: string): string => {
  const hex = local.slice(0, local.indexOf(':'));
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  // A JVM listens on IPv4 addresses written as IPv6 ones.
  const isMapped = bytes.length === 16 && bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
  if (bytes.length === 4 || isMapped) return bytes.slice(-4).join('.');
  const groups = Array.from({length: 8}, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  const text = groups.join(':').replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
  return `[${text}]`;
};
