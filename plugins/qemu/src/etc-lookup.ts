import {createHash} from 'node:crypto';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {days, fileIdentity, type Launch, type LookupStep, lookup, NoAnswer} from 'bootcut/plugin';
import {cacheDirectory} from './directories.js';
import {copyEtc} from './etc-copy.js';
import {etcIdentity} from './etc-files.js';
import {guestUser} from './guest-user.js';
import {startsGuest} from './verbs.js';

const hostEtc = '/etc';

/** Raised when what is copied, or how, changes. */
const edition = 1;

/** Name of the copy that belongs to the host's /etc as it is now, for this user. */
const copyName = (launch: Pick<Launch, 'env'>): string => {
  const accounts = ['passwd', 'group'].map((name) => fileIdentity(join(hostEtc, name)));
  const parts = [edition, guestUser(launch), accounts, etcIdentity(hostEtc)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
};

/** Where the guest's /etc lies: a filtered copy, made anew when the host's changes. */
export const etcLookup: LookupStep<string> = lookup<string>({
  name: 'etc',
  neededBy: 'boot',
  freshFor: days(30),
  keepFor: days(30),
  private: true,
  when: startsGuest,
  key: (launch) => [cacheDirectory(launch.env), copyName(launch)],
  read: async (launch) =>
    copyEtc(hostEtc, join(cacheDirectory(launch.env), 'etc'), copyName(launch), guestUser(launch)),
  parse: (stored) => {
    if (typeof stored === 'string' && statSync(stored, {throwIfNoEntry: false})?.isDirectory() === true) return stored;
    throw new NoAnswer('nothing-there', 'the copy of /etc is not there any more');
  },
});
