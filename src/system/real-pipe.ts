import {execFileSync} from 'node:child_process';
import {closeSync, constants, mkdtempSync, openSync, rmSync} from 'node:fs';
import {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A pipe whose one end goes to a child. */
export interface RealPipe {
  /** The descriptor to hand to the child; closed by `handedOn`. */
  readonly writer: number;
  /** What the child writes; at its end when everybody who has the other end is gone. */
  readonly reader: Socket;
  /** Closes our copy of the child's end: call it when the child has been started, or will not be. */
  readonly handedOn: () => void;
}

/**
 * Pipes as a shell makes them. Node's own are sockets, which a program can tell: it cannot open `/dev/stdout`, and gets
 * no SIGPIPE when what it has written was not read to the end. Costs a process (`mkfifo`); undefined where that fails.
 */
export const openPipes = (count: number): readonly RealPipe[] | undefined => {
  let directory: string | undefined;
  const opened: number[] = [];
  try {
    directory = mkdtempSync(join(tmpdir(), 'bootcut-pipe-'));
    const paths = Array.from({length: count}, (_, index) => join(directory ?? '', String(index)));
    execFileSync('mkfifo', ['-m', '600', ...paths], {stdio: 'ignore'});
    const ends = paths.map((path) => {
      // In this order nobody waits: a reader that does not block, then a writer that has one.
      const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      opened.push(reader);
      const writer = openSync(path, constants.O_WRONLY);
      opened.push(writer);
      return {reader, writer};
    });
    return ends.map(({reader, writer}) => ({
      writer,
      reader: new Socket({fd: reader, readable: true, writable: false}),
      handedOn: () => closeSync(writer),
    }));
  } catch {
    for (const descriptor of opened) closeSync(descriptor);
    return undefined;
  } finally {
    if (directory !== undefined) rmSync(directory, {recursive: true, force: true});
  }
};
