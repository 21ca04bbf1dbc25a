import {readFileSync} from 'node:fs';

/** The two ends of a connection over 127.0.0.1, as they are seen from the end that listened. */
interface LoopbackConnection {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * Does the process at the other end belong to our own user, or to root? Every user of a machine can connect to a port on
 * 127.0.0.1; the kernel's list of connections says whose the other end is. Where there is no such list (not Linux) nobody is
 * told from anybody.
 */
export const isOwnPeer = ({localPort = 0, remotePort = 0}: LoopbackConnection): boolean => {
  const list = connections();
  if (list === undefined) return true;
  const ends = `: ${loopback(remotePort)} ${loopback(localPort)} `;
  const line = list.split('\n').find((entry) => entry.includes(ends));
  const user = Number(line?.trim().split(/\s+/)[7] ?? Number.NaN);
  return user === 0 || user === process.geteuid?.();
};

const connections = (): string | undefined => {
  try {
    return readFileSync('/proc/net/tcp', 'latin1');
  } catch {
    return undefined;
  }
};

/** 127.0.0.1 as it lies in memory on both of our kinds of machine, little endian, and a port: `0100007F:1F90`. */
const loopback = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
