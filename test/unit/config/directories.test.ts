import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {userInfo} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, it} from 'vitest';
import {type Directories, findDirectories} from '../../../src/config/directories.js';
import {runScript} from '../../rig/script-process.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const isRoot = process.getuid?.() === 0;
const ownId = process.getuid?.() ?? 0;

/** A user without an account or a home, as in many containers. */
const stranger = 54_321;

interface Place {
  readonly root: string;
  readonly home: string;
  readonly runtime: string;
  readonly env: Readonly<Record<string, string>>;
}

const place = async (): Promise<Place> => {
  const root = await temporaryDirectory('d');
  const [home, runtime] = [join(root, 'home'), join(root, 'runtime')];
  mkdirSync(home, {mode: 0o700});
  mkdirSync(runtime, {mode: 0o700});
  return {root, home, runtime, env: {HOME: home, XDG_RUNTIME_DIR: runtime}};
};

/** Bytes with the closing zero; longer is cut silently by Node 20. */
const socketLimit = 108;

/** What holds whatever the environment says. */
const holds = (found: Directories, expect: Chai): void => {
  for (const directory of [found.state, found.cache, found.socket === undefined ? undefined : dirname(found.socket)]) {
    if (directory === undefined) continue;
    const stat = statSync(directory);
    expect(stat.isDirectory()).toBe(true);
    expect(stat.uid).toBe(ownId);
    expect(stat.mode & 0o077).toBe(0);
  }
  if (found.socket !== undefined) expect(Buffer.byteLength(found.socket)).toBeLessThan(socketLimit - 13);
  expect(found.complaint === undefined || !found.complaint.includes('\n')).toBe(true);
};
type Chai = (value: unknown) => {
  readonly toBe: (other: unknown) => void;
  readonly toBeLessThan: (other: number) => void;
};

/** Ways in which a directory that a variable names may be no good; `make` gets a path that is not there. */
const faults: readonly (readonly [string, (path: string) => string, RegExp | undefined])[] = [
  ['empty', () => '', undefined],
  ['relative', () => 'some/where', /not an absolute path/],
  ['a file', (path) => (writeFileSync(path, ''), path), /not a directory/],
  ['below a file', (path) => (writeFileSync(path, ''), join(path, 'x')), /not a directory|does not exist/],
  ['a link to nothing', (path) => (symlinkSync('/nonexistent/x', path), path), /not a directory|does not exist/],
  ['a link in a circle', (path) => (symlinkSync(path, path), path), /./],
  ['world-writable', (path) => (mkdirSync(path), chmodSync(path, 0o777), path), /others can write/],
  ['too long for a path', (path) => join(path, 'x'.repeat(300)), /./],
];
const rootFaults: typeof faults = [
  ["another user's", (path) => (mkdirSync(path), chownSync(path, stranger, stranger), path), /belongs to user/],
  [
    "another user's and open to all",
    (path) => (mkdirSync(path), chownSync(path, stranger, stranger), chmodSync(path, 0o777), path),
    /./,
  ],
];

describe('XDG_RUNTIME_DIR', () => {
  it('holds the socket when it is ours alone', async ({expect}) => {
    const {env, runtime} = await place();
    const found = findDirectories(env);
    expect(found.socket?.startsWith(join(runtime, 'bootcut/'))).toBe(true);
    expect(found.complaint).toBeUndefined();
    holds(found, expect);
  });

  const more: typeof faults = [
    ['unset', () => '', undefined],
    ['missing', (path) => path, /does not exist/],
    ['open to its group', (path) => (mkdirSync(path), chmodSync(path, 0o770), path), /others can write/],
  ];
  for (const [name, make, complaint] of [...faults, ...more, ...(isRoot ? rootFaults : [])]) {
    it(`that is ${name} is passed over for a directory of ours`, async ({expect}) => {
      const {env, root} = await place();
      const runtime = make(join(root, 'odd'));
      const found = findDirectories({...env, XDG_RUNTIME_DIR: runtime});
      expect(found.socket).toBe(join(found.state ?? '', 'run', found.socket?.split('/').at(-1) ?? ''));
      if (complaint === undefined) expect(found.complaint).toBeUndefined();
      else expect(found.complaint).toMatch(complaint);
      if (complaint !== undefined) expect(found.complaint).toMatch(/^XDG_RUNTIME_DIR \(/);
      holds(found, expect);
    });
  }

  it('in which somebody else has taken our name is passed over', async ({expect, skip}) => {
    if (!isRoot) return skip('giving a directory away needs root');
    const {env, runtime} = await place();
    mkdirSync(join(runtime, 'bootcut'));
    chownSync(join(runtime, 'bootcut'), stranger, stranger);
    const found = findDirectories(env);
    expect(found.socket?.startsWith(runtime)).toBe(false);
    holds(found, expect);
  });
});

for (const [variable, kind] of [
  ['XDG_STATE_HOME', 'state'],
  ['XDG_CACHE_HOME', 'cache'],
] as const) {
  describe(variable, () => {
    it('names the directory, and it is made with mode 0700 if it is missing', async ({expect}) => {
      const {env, root} = await place();
      const found = findDirectories({...env, [variable]: join(root, 'a', 'b')});
      expect(found[kind]).toBe(join(root, 'a', 'b', 'bootcut'));
      expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
      expect(found.complaint).toBeUndefined();
      holds(found, expect);
    });

    for (const [name, make, complaint] of [...faults, ...(isRoot ? rootFaults : [])]) {
      it(`that is ${name} is passed over for the home directory`, async ({expect}) => {
        const {env, root, home} = await place();
        const found = findDirectories({...env, [variable]: make(join(root, 'odd'))});
        expect(found[kind]?.startsWith(home)).toBe(true);
        if (complaint === undefined) expect(found.complaint).toBeUndefined();
        else expect(found.complaint).toMatch(complaint);
        if (complaint !== undefined) expect(found.complaint).toMatch(new RegExp(`^${variable} \\(`));
        holds(found, expect);
      });
    }

    it('whose bootcut directory is open to others is closed to them, or passed over', async ({expect}) => {
      const {env, root} = await place();
      mkdirSync(join(root, 'x', 'bootcut'), {recursive: true});
      chmodSync(join(root, 'x', 'bootcut'), 0o755);
      const found = findDirectories({...env, [variable]: join(root, 'x')});
      expect(found[kind]).toBe(join(root, 'x', 'bootcut'));
      holds(found, expect);
    });
  });
}

describe('HOME', () => {
  it('is never made', async ({expect}) => {
    const {env, root} = await place();
    const given = {XDG_STATE_HOME: join(root, 's'), XDG_CACHE_HOME: join(root, 'c')};
    findDirectories({...env, ...given, HOME: join(root, 'nobody')});
    expect(existsSync(join(root, 'nobody'))).toBe(false);
  });

  it('of another user is passed over by root, who leaves nothing there', async ({expect, skip}) => {
    if (!isRoot) return skip('needs root');
    const {home, runtime, root} = await place();
    chownSync(home, stranger, stranger);
    chownSync(runtime, stranger, stranger);
    // The system's own idea of root's home must not be touched by a test.
    await using script = runScript(
      `const {syncBuiltinESMExports} = await import('node:module');
       const os = (await import('node:os')).default;
       os.userInfo = () => ({homedir: args[0]});
       syncBuiltinESMExports();
       const {findDirectories} = await ours('config/directories');
       say(JSON.stringify(findDirectories(process.env)));`,
      [join(root, 'own')],
      {env: {HOME: home, XDG_RUNTIME_DIR: runtime, PATH: process.env['PATH']}},
    );
    mkdirSync(join(root, 'own'), {mode: 0o700, recursive: true});
    const found = JSON.parse(await script.line()) as Directories;
    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync(runtime)).toEqual([]);
    expect(found.state?.startsWith(home)).toBe(false);
    expect(found.complaint).toMatch(/we run as root/);
    holds(found, expect);
  });

  const homes: readonly (readonly [string, string | undefined])[] = [
    ['unset', undefined],
    ['empty', ''],
    ['relative', 'home'],
    ['missing', '/nonexistent/home'],
    ['not theirs to write', '/'],
    ['a file', '/etc/hostname'],
  ];
  const asStranger = `
    const {findDirectories} = await ours('config/directories');
    const {mkdirSync, chmodSync, statSync, readdirSync} = await import('node:fs');
    const look = (path) => path && {mode: statSync(path).mode & 0o777, uid: statSync(path).uid};
  `;
  for (const [name, home] of homes) {
    it(`that is ${name} leaves a user without an account a directory in /tmp that is theirs alone`, async ({
      expect,
      skip,
    }) => {
      if (!isRoot) return skip('becoming another user needs root');
      await using script = runScript(
        `${asStranger}
         const found = findDirectories(process.env);
         say(JSON.stringify({found, seen: [found.state, found.cache, found.socket?.replace(/[^/]+$/, '')].map(look)}));`,
        [],
        {env: {PATH: process.env['PATH'], ...(home === undefined ? {} : {HOME: home})}, cwd: '/', user: stranger},
      );
      const {found, seen} = JSON.parse(await script.line()) as {found: Directories; seen: unknown};
      expect(found.state).toBe(`/tmp/bootcut-${stranger}/state`);
      expect(seen).toEqual(Array.from({length: 3}, () => ({mode: 0o700, uid: stranger})));
      expect(found.complaint === undefined || /^HOME \(.*passed over/.test(found.complaint)).toBe(true);
    });
  }

  it('gone and the place in /tmp open to all: what others may have put there is not used', async ({expect, skip}) => {
    if (!isRoot) return skip('becoming another user needs root');
    await using script = runScript(
      `${asStranger}
       mkdirSync('/tmp/bootcut-${stranger}'); chmodSync('/tmp/bootcut-${stranger}', 0o777);
       say(JSON.stringify([findDirectories(process.env).state, look('/tmp/bootcut-${stranger}')]));`,
      [],
      {env: {PATH: process.env['PATH'], HOME: '/nonexistent'}, cwd: '/', user: stranger},
    );
    expect(JSON.parse(await script.line())).toEqual([null, {mode: 0o777, uid: stranger}]);
  });

  it('gone and a link in /tmp in our place: there is no directory, no socket, and one complaint', async ({
    expect,
    skip,
  }) => {
    if (!isRoot) return skip('becoming another user needs root');
    await using script = runScript(
      `${asStranger}
       const {symlinkSync} = await import('node:fs');
       mkdirSync('/tmp/trap', {mode: 0o700}); symlinkSync('/tmp/trap', '/tmp/bootcut-${stranger}');
       say(JSON.stringify([findDirectories(process.env), readdirSync('/tmp/trap')]));`,
      [],
      {env: {PATH: process.env['PATH'], HOME: '/nonexistent'}, cwd: '/', user: stranger},
    );
    const [found, trap] = JSON.parse(await script.line()) as [Directories, readonly string[]];
    expect([found.state, found.cache, found.socket]).toEqual([undefined, undefined, undefined]);
    expect(found.complaint).toMatch(/^HOME \(/);
    expect(trap).toEqual([]);
  });

  it('theirs and a umask that takes everything away: the directory is theirs to use all the same', async ({
    expect,
    skip,
  }) => {
    if (!isRoot) return skip('becoming another user needs root');
    await using script = runScript(
      `${asStranger}
       mkdirSync('/tmp/home', {mode: 0o700});
       process.umask(0o777);
       const found = findDirectories({HOME: '/tmp/home'});
       say(JSON.stringify([found.state, found.complaint, look(found.state)]));`,
      [],
      {env: {PATH: process.env['PATH']}, cwd: '/', user: stranger},
    );
    expect(JSON.parse(await script.line())).toEqual([
      '/tmp/home/.local/state/bootcut',
      null,
      {mode: 0o700, uid: stranger},
    ]);
  });

  it('on a read-only file system is passed over', async ({expect, skip}) => {
    const {env, root} = await place();
    const disk = join(root, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', disk], {stdio: 'ignore'});
    } catch {
      return skip('mounting a tmpfs needs root');
    }
    try {
      const found = findDirectories({...env, XDG_STATE_HOME: disk, XDG_CACHE_HOME: disk, XDG_RUNTIME_DIR: disk});
      expect(found.complaint).toMatch(/^XDG_STATE_HOME .*read-only/);
      holds(found, expect);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('the socket', () => {
  it('of two state directories is never the same, and of two spellings of one always', async ({expect}) => {
    const {env, root} = await place();
    const socketOf = (state: string): string | undefined => findDirectories({...env, XDG_STATE_HOME: state}).socket;
    const one = socketOf(join(root, 'one'));
    expect(one).toBeDefined();
    expect(socketOf(join(root, 'two'))).not.toBe(one);
    symlinkSync(join(root, 'one'), join(root, 'link'));
    expect(socketOf(join(root, 'link'))).toBe(one);
    expect(socketOf(`${root}/x/../one/`)).toBe(one);
  });

  const long: readonly (readonly [string, string])[] = [
    ['long', 'x'.repeat(90)],
    ['short in characters and long in bytes', '項目'.repeat(13)],
    ['just too long once its temporary name is counted', 'y'.repeat(40)],
  ];
  for (const [name, part] of long) {
    it(`of a runtime and a state directory whose names are ${name} goes to a short one, still one for each`, async ({
      expect,
    }) => {
      const {root} = await place();
      const [home, runtime] = [join(root, part), join(root, `${part}r`)];
      mkdirSync(home, {mode: 0o700});
      mkdirSync(runtime, {mode: 0o700});
      const found = findDirectories({HOME: home, XDG_RUNTIME_DIR: runtime});
      const other = findDirectories({HOME: home, XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: join(home, 'other')});
      holds(found, expect);
      expect(found.state?.startsWith(home)).toBe(true);
      expect(found.socket).toBeDefined();
      expect(found.socket).not.toBe(other.socket);
    });
  }
});

describe('BOOTCUT_STATE_DIR and its kind', () => {
  it('come before everything else, but are not made below what is not there', async ({expect}) => {
    const {env, root, home} = await place();
    const wanted = {
      BOOTCUT_STATE_DIR: join(root, 's'),
      BOOTCUT_CACHE_DIR: join(root, 'c'),
      BOOTCUT_CONFIG_DIR: join(root, 'k'),
      BOOTCUT_DATA_DIR: join(root, 'd'),
    };
    expect(findDirectories({...env, ...wanted})).toMatchObject({
      state: join(root, 's'),
      cache: join(root, 'c'),
      config: join(root, 'k'),
      data: join(root, 'd'),
      complaint: undefined,
    });
    expect(existsSync(join(root, 'k'))).toBe(false);
    const found = findDirectories({...env, BOOTCUT_STATE_DIR: join(root, 'none', 'deep')});
    expect(found.state?.startsWith(home)).toBe(true);
    expect(found.complaint).toMatch(/^BOOTCUT_STATE_DIR \(.*does not exist/);
  });

  it('are taken through links to what they are', async ({expect}) => {
    const {env, root} = await place();
    mkdirSync(join(root, 'real'), {mode: 0o700});
    symlinkSync(join(root, 'real'), join(root, 'link'));
    expect(findDirectories({...env, BOOTCUT_STATE_DIR: join(root, 'link')}).state).toBe(
      realpathSync(join(root, 'real')),
    );
  });

  it('two finds at once of what is not there yet agree', async ({expect}) => {
    const {env, home} = await place();
    const script = `const {findDirectories} = await ours('config/directories'); say('ready'); await heard(); say(JSON.stringify(findDirectories(process.env)));`;
    const many = Array.from({length: 6}, () => runScript(script, [], {env: {...process.env, ...env}}));
    await Promise.all(many.map((one) => one.line()));
    for (const one of many) one.tell('go');
    const found = await Promise.all(many.map((one) => one.line()));
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toContain(home);
    await Promise.all(many.map((one) => one[Symbol.asyncDispose]()));
  });
});

it('the user of these tests has an account', ({expect}) => {
  expect(userInfo().uid).toBe(ownId);
});
