import {randomBytes} from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {type GuestUser, guestGroup, guestPasswd} from './etc-accounts.js';
import {type EtcEntry, etcEntries, harmlessContent} from './etc-files.js';

/** Copies that no launch has asked for in this long are removed: a VM of an older one may still run. Milliseconds. */
const keptFor = 30 * 24 * 60 * 60 * 1000;

/** The guest's name server is QEMU's own, which asks the host's; without a network it is just not reached. */
const resolvConf = 'nameserver 10.0.2.3\n';

const hosts = '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n';

/**
 * Makes a guest's /etc from the host's at `places/NAME`, whole or not at all, and returns where it is. A copy that is
 * there already is only marked as used.
 */
export const copyEtc = (root: string, places: string, name: string, user: GuestUser): string => {
  const place = join(places, name);
  if (!existsSync(place)) makeCopy(root, place, user);
  const now = new Date();
  utimesSync(place, now, now);
  removeOld(places, name);
  return place;
};

const makeCopy = (root: string, place: string, user: GuestUser): void => {
  const making = `${place}.${randomBytes(6).toString('hex')}.new`;
  mkdirSync(making, {recursive: true, mode: 0o700});
  try {
    for (const entry of etcEntries(root)) copyEntry(root, making, entry);
    const accounts = {passwd: guestPasswd, group: guestGroup};
    for (const [file, guestText] of Object.entries(accounts))
      write(join(making, file), guestText(textOf(join(root, file)), user));
    write(join(making, 'resolv.conf'), resolvConf);
    write(join(making, 'hosts'), hosts);
    chmodSync(making, 0o755); // the directories above are closed to others
    renameSync(making, place);
  } catch (error) {
    rmSync(making, {recursive: true, force: true});
    if (!existsSync(place)) throw error; // otherwise somebody else was quicker
  }
};

const copyEntry = (root: string, making: string, entry: EtcEntry): void => {
  const to = join(making, entry.path);
  switch (entry.kind) {
    case 'directory':
      makeDirectory(to);
      return;
    case 'link':
      makeDirectory(dirname(to));
      symlinkSync(entry.target, to);
      return;
    case 'file': {
      const from = join(root, entry.path);
      const content = harmlessContent(from);
      if (content === undefined) return;
      makeDirectory(dirname(to));
      write(to, content, (statSync(from).mode & 0o111) === 0 ? 0o644 : 0o755);
    }
  }
};

/** Other users of the guest read it as well, whatever the umask here. */
const makeDirectory = (path: string): void => {
  if (mkdirSync(path, {recursive: true}) !== undefined) chmodSync(path, 0o755);
};

const write = (path: string, content: string | Buffer, mode = 0o644): void => {
  writeFileSync(path, content);
  chmodSync(path, mode);
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const removeOld = (places: string, name: string): void => {
  const limit = Date.now() - keptFor;
  for (const other of readdirSync(places)) {
    const path = join(places, other);
    const stat = other === name ? undefined : statSync(path, {throwIfNoEntry: false});
    if (stat !== undefined && stat.mtimeMs < limit) rmSync(path, {recursive: true, force: true});
  }
};
