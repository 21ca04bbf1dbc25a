/** Who runs the guest's commands. */
export interface GuestUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  /** Made empty in the guest: the host's is never seen there. */
  readonly home: string;
}

/** Accounts below belong to the system on all distributions of today; `nobody` has the other number. */
const firstPerson = 1000;
const nobody = 65_534;

/** The accounts that guests know: the system's and the user's own, without those of other people. */
export const guestPasswd = (host: string, user: GuestUser): string => {
  const lines = accountLines(host).filter(([, , id]) => isKept(Number(id), user.uid));
  const own = [user.name, 'x', String(user.uid), String(user.gid), '', user.home, '/bin/sh'];
  return text(lines.some(([, , id]) => Number(id) === user.uid) ? lines : [...lines, own]);
};

/** The groups that guests know; of their members only the user. */
export const guestGroup = (host: string, user: GuestUser): string => {
  const lines = accountLines(host)
    .filter(([, , id]) => isKept(Number(id), user.gid))
    .map(([name = '', , id = '', members = '']) => {
      const isMember = members.split(',').includes(user.name);
      return [name, 'x', id, isMember ? user.name : ''];
    });
  const own = [user.name, 'x', String(user.gid), ''];
  return text(lines.some(([, , id]) => Number(id) === user.gid) ? lines : [...lines, own]);
};

const isKept = (id: number, own: number): boolean => id < firstPerson || id === nobody || id === own;

const accountLines = (host: string): readonly (readonly string[])[] =>
  host
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name = '', , id = '']) => /^[\w.-]+\$?$/.test(name) && /^\d+$/.test(id));

const text = (lines: readonly (readonly string[])[]): string => lines.map((fields) => `${fields.join(':')}\n`).join('');
