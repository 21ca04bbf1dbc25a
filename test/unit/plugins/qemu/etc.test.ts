import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {guestGroup, guestPasswd} from '../../../../plugins/qemu/src/etc-accounts.js';
import {copyEtc} from '../../../../plugins/qemu/src/etc-copy.js';
import {etcIdentity} from '../../../../plugins/qemu/src/etc-files.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

const ann = {uid: 1000, gid: 1000, name: 'ann', home: '/home/ann'};

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('qemu-etc');
  put(
    'passwd',
    'root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann:/home/ann:/bin/zsh\nbob:x:1001:1001::/home/bob:/bin/sh\n',
  );
  put('group', 'root:x:0:\nkvm:x:109:bob,ann\nann:x:1000:\nbob:x:1001:\n');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const etc = (path = ''): string => join(root, 'etc', path);

const put = (path: string, text = 'x\n', mode = 0o644): void => {
  mkdirSync(dirname(etc(path)), {recursive: true});
  writeFileSync(etc(path), text);
  chmodSync(etc(path), mode);
};

const copied = (name = 'c1'): string => copyEtc(etc(), join(root, 'copies'), name, ann);

describe('the guest’s /etc', () => {
  test('has what programs need to find libraries, names and certificates', ({expect}) => {
    for (const path of ['ld.so.conf.d/a.conf', 'ssl/certs/ca.crt', 'profile.d/a.sh', 'java-17-openjdk/net.properties'])
      put(path);
    symlinkSync('/usr/bin/vim', etc('inputrc'));
    const copy = copied();
    expect(readFileSync(join(copy, 'ld.so.conf.d/a.conf'), 'utf8')).toBe('x\n');
    expect(existsSync(join(copy, 'ssl/certs/ca.crt'))).toBe(true);
    expect(existsSync(join(copy, 'java-17-openjdk/net.properties'))).toBe(true);
    expect(readlinkSync(join(copy, 'inputrc'))).toBe('/usr/bin/vim');
  });

  test.for([
    'shadow',
    'gshadow',
    'sudoers',
    'ssh/ssh_host_ed25519_key',
    'ssl/private/a.key',
    'ssl/certs/host.key',
    'gitconfig',
    'npmrc',
    'environment',
    'wireguard/wg0.conf',
    'NetworkManager/system-connections/home',
    'fstab',
    'crypttab',
    'machine-id',
    'passwd-',
    'java-17-openjdk/management/jmxremote.password',
    'profile.d/api-token.sh',
    'profile.d/my.secret',
    'docker/key.json',
  ])('never has %s', (path, {expect}) => {
    put(path);
    expect(existsSync(join(copied(), path))).toBe(false);
  });

  test('never has a private key, whatever its file is called', ({expect}) => {
    put('ssl/certs/both.pem', '-----BEGIN CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\n');
    expect(existsSync(join(copied(), 'ssl/certs/both.pem'))).toBe(false);
  });

  test('never has what not everybody on the host may read', ({expect}) => {
    put('profile.d/admin.sh', 'x', 0o640);
    expect(existsSync(join(copied(), 'profile.d/admin.sh'))).toBe(false);
  });

  test('knows the system’s accounts and the user’s, and nobody else', ({expect}) => {
    const copy = copied();
    expect(readFileSync(join(copy, 'passwd'), 'utf8')).toBe(
      'root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann:/home/ann:/bin/zsh\n',
    );
    expect(readFileSync(join(copy, 'group'), 'utf8')).toBe('root:x:0:\nkvm:x:109:ann\nann:x:1000:\n');
  });

  test('knows a user that the host has no account for', ({expect}) => {
    expect(guestPasswd('', {...ann, uid: 4711})).toBe('ann:x:4711:1000::/home/ann:/bin/sh\n');
    expect(guestGroup('', {...ann, gid: 4711})).toBe('ann:x:4711:\n');
  });

  test('can be read by every user of the guest, whatever the umask was', ({expect}) => {
    put('skel/a');
    const copy = copied();
    const modes = ['', 'skel', 'skel/a', 'passwd'].map((path) => lstatSync(join(copy, path)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o755, 0o644, 0o644]);
  });

  test('is whole or not there: nothing half-made bears the name', ({expect}) => {
    put('profile');
    symlinkSync('x', etc('shells'));
    mkdirSync(join(root, 'copies'), {recursive: true});
    writeFileSync(join(root, 'copies', 'c1.blocked'), '');
    copied();
    expect(readdirSync(join(root, 'copies')).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  test('of long ago goes, one of lately stays: a VM may still run from it', ({expect}) => {
    const [old, recent] = [copied('old'), copied('recent')];
    const past = new Date(Date.now() - 40 * 24 * 3_600_000);
    utimesSync(old, past, past);
    copied('c1');
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  });
});

describe('the identity of /etc', () => {
  const changes: Readonly<Record<string, () => void>> = {
    'a file that is written to in place': () => writeFileSync(etc('profile.d/a.sh'), 'longer\n'),
    'a new file': () => put('profile.d/b.sh'),
    'a removed file': () => rmSync(etc('profile.d/a.sh')),
    'a link that leads elsewhere': () => {
      rmSync(etc('alternatives/java'));
      symlinkSync('/usr/bin/other', etc('alternatives/java'));
    },
    'a file that is closed to others': () => chmodSync(etc('profile.d/a.sh'), 0o600),
  };

  test.for(Object.keys(changes))('is another one after %s', (name, {expect}) => {
    put('profile.d/a.sh');
    mkdirSync(etc('alternatives'));
    symlinkSync('/usr/bin/java17', etc('alternatives/java'));
    const before = etcIdentity(etc());
    expect(etcIdentity(etc())).toBe(before);
    changes[name]?.();
    expect(etcIdentity(etc())).not.toBe(before);
  });

  test('stays the same when something changes that guests do not get', ({expect}) => {
    put('profile.d/a.sh');
    put('ssh/key');
    const before = etcIdentity(etc());
    writeFileSync(etc('ssh/key'), 'longer\n');
    expect(etcIdentity(etc())).toBe(before);
  });
});
