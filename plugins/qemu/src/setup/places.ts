import {createHash, randomBytes} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync} from 'node:fs';
import {createServer, type Server} from 'node:net';
import {basename, dirname, join, relative} from 'node:path';
import {Trouble} from './trouble.js';

/** Directories that are being made have this in front of their name; nothing ever looks for one. */
const making = '.making-';

/** Paths that go when setup is interrupted. */
const unfinished = new Set<string>();

/** Removes what is half-made. For the way out by a signal; a KILL leaves it to the next setup. */
export const removeUnfinished = (): void => {
  for (const path of unfinished) rmSync(path, {recursive: true, force: true});
};

/**
 * Makes a directory whole or not at all: `fill` works in a hidden one, which then takes the name. What is there already
 * stays as it is: its name says what is in it.
 */
export const makeWhole = async (
  place: string,
  fill: (directory: string) => Promise<void>,
): Promise<'made' | 'there'> => {
  if (existsSync(place)) return 'there';
  await inWorkshop(dirname(place), async (workshop) => {
    await fill(workshop);
    renameSync(workshop, place);
  });
  return 'made';
};

/** A hidden directory for the length of some work. */
export const inWorkshop = async <T>(parent: string, work: (directory: string) => Promise<T>): Promise<T> => {
  const directory = join(parent, `${making}${randomBytes(6).toString('hex')}`);
  mkdirSync(directory, {recursive: true, mode: 0o700});
  unfinished.add(directory);
  try {
    return await work(directory);
  } finally {
    rmSync(directory, {recursive: true, force: true});
    unfinished.delete(directory);
  }
};

/** Lets a link lead to another place, in one step: whoever looks sees the old one or the new one. */
export const switchLink = (link: string, place: string): void => {
  const temporary = join(dirname(link), `${making}${basename(link)}`);
  rmSync(temporary, {force: true});
  symlinkSync(relative(dirname(link), place), temporary);
  renameSync(temporary, link);
};

/** Removes what an earlier setup was killed over. Only with the lock in hand. */
export const clearWorkshops = (parents: readonly string[]): void => {
  for (const parent of parents) {
    if (!existsSync(parent)) continue;
    for (const name of readdirSync(parent)) {
      if (name.startsWith(making)) rmSync(join(parent, name), {recursive: true, force: true});
    }
  }
};

/** One setup at a time for a directory: a name that the kernel drops with the process. */
export const lockSetup = (directory: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const name = createHash('sha256').update(directory).digest('hex').slice(0, 32);
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Trouble('another setup is at work on the same directory', 'Wait for it, or end it.')
          : error,
      ),
    );
    server.listen(`\0bootcut-qemu-setup-${name}`, () => {
      server.unref();
      resolve(server);
    });
  });
