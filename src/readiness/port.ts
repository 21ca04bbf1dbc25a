import {connect} from 'node:net';
import type {PortSource} from './condition.js';
import {knowsListeners, type Listener, socketsInUse, tcpListeners, unixListeners} from './listeners.js';
import {type Found, poll} from './poll.js';
import {ownersOfSocket, type ProcessTree, processName} from './process-tree.js';
import type {Watch, WatchedTarget} from './watch.js';
import {watchWrittenAddress} from './written-address.js';

/** Between two looks, in milliseconds. Chimera's bench took 5 ms too. */
export const portGapMs = 5;

/** Every so many looks the table of sockets is read although the number of sockets is what it was. */
const fullLook = 20;

/** A TCP port, or the path of a Unix socket. */
export type PortPlace = number | {readonly path: string};

const placeWords = (where: PortPlace): string => (typeof where === 'number' ? `port ${where}` : where.path);

/** Where something of ours listens. */
export interface Listening {
  readonly address: string;
  /** False where the system does not say whose socket it is. */
  readonly isOwned: boolean;
}

/** Looks for a listening socket of the target's; remembers whose it is otherwise. */
export class PortLook {
  #seen = 'nobody listens there';
  #inUse = '';
  #skipped = 0;

  seen(): string {
    return this.#seen;
  }

  /** The socket if it is there, in the eyes of the kernel; a port is only looked for where something has changed. */
  async at(where: PortPlace, host: string | undefined, tree: ProcessTree): Promise<Listening | undefined> {
    if (typeof where !== 'number') return this.#among(unixListeners(where.path) ?? [], where, host, tree);
    if (!knowsListeners()) return await this.#byConnecting(where);
    const inUse = socketsInUse();
    this.#skipped = inUse === this.#inUse && inUse !== ',' ? this.#skipped + 1 : 0;
    this.#inUse = inUse;
    return this.#skipped % fullLook === 0 ? this.#among(tcpListeners(where), where, host, tree) : undefined;
  }

  #among(
    listeners: Iterable<Listener>,
    where: PortPlace,
    host: string | undefined,
    tree: ProcessTree,
  ): Listening | undefined {
    const others: Listener[] = [];
    for (const listener of listeners) {
      if (!serves(listener.address, host)) continue;
      if (tree.holderOf([listener.inode]) !== undefined) return {address: listener.address, isOwned: true};
      others.push(listener);
    }
    this.#seen = others.length === 0 ? `nobody listens on ${placeWords(where)}` : foreign(others);
    return undefined;
  }

  /** Where there is no table of sockets (macOS): whoever accepts a connection, without knowing who it is. */
  async #byConnecting(where: PortPlace): Promise<Listening | undefined> {
    const targets = typeof where === 'number' ? ['127.0.0.1', '::1'].map((host) => ({host, port: where})) : [where];
    for (const target of targets) {
      const accepted = await new Promise<boolean>((resolve) => {
        const socket = connect(target);
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
        socket.once('close', () => resolve(false)).setTimeout(500, () => socket.destroy());
        socket.once('connect', () => socket.destroy());
      });
      if (accepted) return {address: 'host' in target ? `${target.host}:${target.port}` : target.path, isOwned: false};
    }
    return undefined;
  }
}

const foreign = (listeners: readonly Listener[]): string => {
  const [first] = listeners;
  const owners = ownersOfSocket(first?.inode ?? '').map(processName);
  const whose = owners.length === 0 ? 'a process that cannot be seen from here' : owners.join(', ');
  return `${first?.address ?? ''} is held by ${whose}, which is not part of what was started`;
};

const wildcards = ['0.0.0.0', '[::]'];
const loopbacks = ['127.0.0.1', '[::1]', ...wildcards];

/** Does a socket at this address answer for this host? `localhost` is both families, whichever the target has taken. */
const serves = (address: string, host: string | undefined): boolean => {
  if (host === undefined || address.startsWith('/')) return true;
  const own = address.slice(0, address.lastIndexOf(':'));
  if (host === 'localhost') return loopbacks.includes(own);
  return own === host || own === `[${host}]` || wildcards.includes(own);
};

/** A listening socket of the target's: from then on a connection is not refused. Nothing is said of answers. */
export const watchPort = (source: PortSource, host: string | undefined, cwd: string): Watch => {
  const look = new PortLook();
  const written = typeof source === 'object' && 'file' in source ? watchWrittenAddress(source, cwd) : undefined;
  let where = written === undefined ? (source as PortPlace) : undefined;
  return {
    until: async (target, signal) => {
      where ??= Number(new URL((await written?.address(signal)) ?? '').port);
      const {value, at, slack} = await listens(look, where, host, target, signal);
      return {at, slack, detail: addressWords(value)};
    },
    seen: () => (where === undefined ? (written?.seen() ?? '') : look.seen()),
  };
};

export const listens = (
  look: PortLook,
  where: PortPlace,
  host: string | undefined,
  target: WatchedTarget,
  signal: AbortSignal,
): Promise<Found<Listening>> => poll(portGapMs, () => look.at(where, host, target.tree), target.startedAt, signal);

export const addressWords = ({address, isOwned}: Listening): string =>
  isOwned ? address : `${address} (whose socket it is cannot be told on this system)`;
