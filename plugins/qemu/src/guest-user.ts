import {userInfo} from 'node:os';
import type {Launch} from 'bootcut/plugin';
import {homeDirectory} from './directories.js';
import type {GuestUser} from './etc-accounts.js';

/** The launching user: the daemon and every front of it run as the same one. */
export const guestUser = (launch: Pick<Launch, 'env'>): GuestUser => ({
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  name: accountName() ?? 'user',
  home: usableHome(homeDirectory(launch.env)),
});

const accountName = (): string | undefined => {
  try {
    const {username} = userInfo();
    return /^[\w.-]+$/.test(username) ? username : undefined;
  } catch {
    return undefined; // a user id without an account, as in many containers
  }
};

/** Accounts without a home have `/`, or a path that nothing can be made at. */
const usableHome = (home: string | undefined): string =>
  home === undefined || home === '/' || home.includes(':') || home.startsWith('/nonexistent') ? '/home/user' : home;
