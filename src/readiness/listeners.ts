import {textOf} from './process-tree.js';

/** A listening socket of this network namespace. */
export interface Listener {
  /** `127.0.0.1:8080`, `[::1]:8080`, or a path. */
  readonly address: string;
  readonly inode: string;
}

/** The state LISTEN in `/proc/net/tcp`. */
const listening = '0A';

/** Sockets that listen on a TCP port, of either family; undefined where there is no `/proc/net`. */
export const tcpListeners = (port: number): readonly Listener[] | undefined => {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map(textOf);
  if (tables[0] === undefined) return undefined;
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return tables.flatMap((table) =>
    (table ?? '').split('\n').flatMap((line): readonly Listener[] => {
      if (!line.includes(wanted)) return [];
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      return state === listening && local.endsWith(wanted) ? [{address: `${addressOf(local)}:${port}`, inode}] : [];
    }),
  );
};

/** Sockets that listen on a path; undefined where there is no `/proc/net`. */
export const unixListeners = (path: string): readonly Listener[] | undefined =>
  textOf('/proc/net/unix')
    ?.split('\n')
    .flatMap((line): readonly Listener[] => {
      const [, , , flags, , , inode = '', ...name] = line.split(/ +/);
      return flags === '00010000' && name.join(' ') === path ? [{address: path, inode}] : [];
    });

/** The kernel prints addresses as hexadecimal words in the machine's own order of bytes: little on all we know. */
const addressOf = (local: string): string => {
  const hex = local.slice(0, local.indexOf(':'));
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({length: 8}, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  const text = groups.join(':').replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
  return `[${text}]`;
};
