import {describe, test} from 'vitest';
import {hasMountsBelow} from '../../../../plugins/qemu/src/mount-points.js';

const list = `21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
33 21 8:2 / /usr/local rw,relatime shared:2 - ext4 /dev/sda2 rw
34 21 0:33 / /srv/a\\040b/c rw - tmpfs tmpfs rw
35 21 0:34 / /opt rw - tmpfs tmpfs rw
`;

describe('mounts below a directory', () => {
  test('are found, and not taken for others of a like name', ({expect}) => {
    expect(hasMountsBelow('/usr', list)).toBe(true);
    expect(hasMountsBelow('/srv/a b', list)).toBe(true);
    expect(hasMountsBelow('/', list)).toBe(true);
    for (const path of ['/usr/local', '/us', '/opt', '/usr/lib']) expect(hasMountsBelow(path, list)).toBe(false);
  });

  test('of this machine are read from the kernel', ({expect}) => {
    expect(hasMountsBelow('/')).toBe(true);
    expect(hasMountsBelow('/proc/self/fd')).toBe(false);
  });
});
