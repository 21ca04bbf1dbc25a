import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {arch, cpus, hostname, platform, release, totalmem} from 'node:os';
import {toMicro} from '../model/units.js';
import {digest} from '../system/digest.js';
import {median} from './statistics.js';

/** What a figure depends on besides the program. Figures of two hosts are not compared. */
export interface HostFingerprint {
  /** Digest of all that follows but the calibration and the Node version. */
  readonly id: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryMiB: number;
  readonly system: string;
  /** Digest of the machine's own id, or of its name where it has none: two machines of a kind are two hosts. */
  readonly machine: string;
  readonly node: string;
  /**
   * Milliseconds of a fixed piece of work, the median of a few: a host that kept its name and changed its speed. A busy
   * host shows here too.
   */
  readonly calibrationMs: number;
}

export const fingerprint = (): HostFingerprint => {
  const processors = cpus();
  const parts = {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    // The kernel's own share varies by a few MiB between boots.
    memoryMiB: Math.round(totalmem() / 2 ** 20 / 64) * 64,
    system: `${platform()} ${release()} ${arch()}`,
    machine: digest(`bootcut-host\0${machineId()}`, 12),
  };
  return {id: digest(JSON.stringify(parts), 12), ...parts, node: process.version, calibrationMs: calibrate()};
};

const machineId = (): string => {
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text !== '') return text;
    } catch {
      // the next one, or the name
    }
  }
  return hostname();
};

/** Hashing 4 MiB takes 2 to 20 ms; five times. */
const calibrate = (): number => {
  const block = Buffer.alloc(4 * 2 ** 20, 'bootcut');
  const times = Array.from({length: 5}, () => {
    const began = performance.now();
    createHash('sha256').update(block).digest();
    return performance.now() - began;
  });
  return toMicro(median(times) ?? 0);
};

/** Fields in which two hosts differ, for people. */
export const hostDifferences = (one: HostFingerprint, other: HostFingerprint): readonly string[] =>
  (['cpu', 'cores', 'memoryMiB', 'system', 'machine'] as const).flatMap((name) =>
    one[name] === other[name] ? [] : [`${name} ${one[name]} and ${other[name]}`],
  );
