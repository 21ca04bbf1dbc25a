import {connect, type Socket} from 'node:net';
import type {FarHost} from './hosts.js';

/** A connection that has been made ahead, until it is used, closed or too old. */
export interface HeldConnection {
  /** Milliseconds from the look-up of the name to the connection; undefined where there is none. */
  readonly connected: Promise<number | undefined>;
  /** How it ended: somebody has it, or nobody can have it any more. */
  readonly ended: Promise<'used' | 'dropped'>;
  readonly drop: () => void;
}

interface Held {
  readonly socket: Socket;
  readonly use: () => void;
}

/** By host; the oldest first. */
const pool = new Map<string, Held[]>();

/** Connects to a host and holds that for so many milliseconds. Nothing is sent; it keeps no process alive. */
export const hold = ({host, port, name}: FarHost, holdFor: number): HeldConnection => {
  const began = performance.now();
  const socket = connect({host, port}).unref();
  const held = pool.get(name) ?? [];
  pool.set(name, held);
  let finish: (how: 'used' | 'dropped') => void = () => undefined;
  const ended = new Promise<'used' | 'dropped'>((resolve) => {
    finish = resolve;
  });
  const timer = setTimeout(() => socket.destroy(), holdFor).unref();
  const endWithFar = (): void => void socket.destroy(); // the far end wants it no longer
  const entry = {
    socket,
    use: () => {
      clearTimeout(timer);
      socket.off('end', endWithFar);
      finish('used');
    },
  };
  socket.on('error', () => undefined); // 'close' follows
  socket.once('end', endWithFar);
  const connected = new Promise<number | undefined>((resolve) => {
    socket.once('connect', () => {
      held.push(entry);
      resolve(performance.now() - began);
    });
    socket.once('close', () => {
      const at = held.indexOf(entry);
      if (at >= 0) held.splice(at, 1);
      clearTimeout(timer);
      resolve(undefined);
      finish('dropped');
    });
  });
  return {connected, ended, drop: () => (held.includes(entry) || socket.connecting ? socket.destroy() : undefined)};
};

/** One that is held for this host, which is the caller's from now on. */
export const take = (name: string): Socket | undefined => {
  const held = pool.get(name)?.shift();
  held?.use();
  return held?.socket.ref();
};
