import {days, fileIdentity, type Json, type Launch, type LookupStep, lookup, NoAnswer, run} from 'bootcut/plugin';
import {isRecord} from './is-record.js';
import {findQemu} from './programs.js';
import {startsGuest} from './verbs.js';

/** What a QEMU program is. */
export interface Emulator {
  readonly version: string;
  /** It has the machine type `microvm`. */
  readonly microvm: boolean;
  /** It knows `-sandbox`. */
  readonly sandbox: boolean;
}

/** Asks a QEMU program what it is; three starts of about 20 ms. */
export const askEmulator = async (launch: Launch, path: string, signal: AbortSignal): Promise<Emulator> => {
  const [version, machines, help] = await Promise.all(
    [['--version'], ['-machine', 'help'], ['-help']].map(
      async (args) => (await run(launch, [path, ...args], {signal})).stdout,
    ),
  );
  const number = /version (\d+(?:\.\d+)+)/.exec(version ?? '')?.[1];
  if (number === undefined) throw new NoAnswer('malformed', `${path} --version does not give QEMU's version`);
  return {version: number, microvm: /^microvm\s/m.test(machines ?? ''), sandbox: /^-sandbox /m.test(help ?? '')};
};

export const parseEmulator = (stored: unknown): Emulator => {
  if (isRecord(stored)) {
    const {version, microvm, sandbox} = stored;
    if (typeof version === 'string' && typeof microvm === 'boolean' && typeof sandbox === 'boolean')
      return {version, microvm, sandbox};
  }
  throw new NoAnswer('malformed', 'not what QEMU says of itself');
};

/** Which QEMU this is and what it can do; stays true for as long as the file does. */
export const emulatorLookup: LookupStep<Emulator & Json> = lookup<Emulator & Json>({
  name: 'emulator',
  neededBy: 'boot',
  freshFor: days(30),
  keepFor: days(365),
  private: true,
  when: (launch) => startsGuest(launch) && findQemu(launch) !== undefined,
  key: (launch) => {
    const path = findQemu(launch);
    return path === undefined ? [null] : [path, fileIdentity(path)];
  },
  read: async (launch, {signal}) => {
    const path = findQemu(launch);
    if (path === undefined) throw new NoAnswer('not-installed', 'QEMU is not on the PATH of this launch');
    return {...(await askEmulator(launch, path, signal))};
  },
  parse: (stored) => ({...parseEmulator(stored)}),
});
