import {readFileSync} from 'node:fs';
import {days, type Launch, type LookupStep, lookup, NoAnswer, run} from 'bootcut/plugin';
import {findNative} from './programs.js';
import {startsGuest} from './verbs.js';

/**
 * How fast the host's time stamp counter runs, in kHz. The kernel's log has the figure but is not everybody's to read,
 * and /proc/cpuinfo has the processor's speed of the moment; so a small program of ours compares the counter with the
 * clock for 60 ms (within 0.001 % of the kernel's own figure).
 */
export const counterSpeed = async (launch: Launch, signal: AbortSignal): Promise<number> => {
  const program = findNative('tsc-khz');
  const measured = program === undefined ? undefined : (await run(launch, [program], {signal})).stdout;
  const khz = /^\d{5,8}\s*$/.test(measured ?? '') ? Number(measured) : fromProcessor();
  if (khz === undefined) throw new NoAnswer('nothing-there', "the speed of the host's time stamp counter is not known");
  return khz;
};

/** In a VM, which has no say over its processor's speed, the processor's is the counter's. */
const fromProcessor = (): number | undefined => {
  const info = readFileSync('/proc/cpuinfo', 'utf8');
  const speed = /^cpu MHz\s*:\s*(\d+)\.(\d{3})$/m.exec(info);
  const isFixed = /^flags\s*:.*\bconstant_tsc\b/m.test(info) && /^flags\s*:.*\bhypervisor\b/m.test(info);
  return speed === null || !isFixed ? undefined : Number(`${speed[1]}${speed[2]}`);
};

/** Changes with each start of the host, and where a VM of its own moves to other hardware it has to be started anew. */
export const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
};

/** The speed of the time stamp counter, measured once for each start of the host. */
export const counterLookup: LookupStep<number> = lookup<number>({
  name: 'counter',
  neededBy: 'boot',
  freshFor: days(30),
  keepFor: days(30),
  private: true,
  when: startsGuest,
  key: () => [bootId(), findNative('tsc-khz') ?? null],
  read: (launch, {signal}) => counterSpeed(launch, signal),
  parse: (stored) => {
    if (typeof stored === 'number' && Number.isSafeInteger(stored) && stored > 0) return stored;
    throw new NoAnswer('malformed', 'not the speed of a counter');
  },
});
