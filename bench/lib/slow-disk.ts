import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/** A file system of our own in a file, which can be made cold and slow without touching anybody else's. Root only. */
export interface SlowDisk extends Disposable {
  readonly path: string;
  /** Nothing of it is in memory afterwards. */
  readonly makeCold: () => void;
  /** Limits reads of this process and its children; undefined: as fast as it is. False where that cannot be done. */
  readonly limit: (limits: DiskLimits | undefined) => boolean;
}

export interface DiskLimits {
  /** Bytes and reads a second. */
  readonly bytes: number;
  readonly reads: number;
}

const run = (...[command = '', ...args]: readonly string[]): string =>
  execFileSync(command, args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']}).trim();

/** Where cgroups of version 1 limit disks. */
const blkio = '/sys/fs/cgroup/blkio';

/** Makes one of so many MiB below a directory, filled by `fill`. The backing file is read past the page cache. */
export const makeSlowDisk = (directory: string, size: number, fill: (path: string) => void): SlowDisk => {
  const [image, path] = [join(directory, 'disk.img'), join(directory, 'disk')];
  mkdirSync(path);
  run('truncate', '-s', `${size}M`, image);
  run('mkfs.ext4', '-q', '-F', image);
  const device = run('losetup', '--find', '--show', '--direct-io=on', image);
  const mount = (): string => run('mount', '-o', 'noatime', device, path);
  mount();
  fill(path);
  const number = run('lsblk', '-n', '-d', '-o', 'MAJ:MIN', device);
  const group = join(blkio, `bootcut-bench-${process.pid}`);
  return {
    path,
    makeCold: () => {
      run('umount', path);
      mount();
    },
    limit: (limits) => {
      if (!existsSync(join(blkio, 'blkio.throttle.read_bps_device'))) return false;
      if (!existsSync(group)) mkdirSync(group);
      writeFileSync(join(group, 'blkio.throttle.read_bps_device'), `${number} ${limits?.bytes ?? 0}\n`);
      writeFileSync(join(group, 'blkio.throttle.read_iops_device'), `${number} ${limits?.reads ?? 0}\n`);
      writeFileSync(join(group, 'cgroup.procs'), `${process.pid}\n`);
      return true;
    },
    [Symbol.dispose]: () => {
      run('umount', path);
      run('losetup', '-d', device);
      leave(group);
    },
  };
};

/** Back to where everybody is; who has ended meanwhile is there no more. */
const leave = (group: string): void => {
  if (!existsSync(group)) return;
  for (const pid of readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n')) {
    try {
      if (pid !== '') writeFileSync(join(blkio, 'cgroup.procs'), `${pid}\n`);
    } catch {
      // it has ended
    }
  }
  rmdirSync(group);
};
