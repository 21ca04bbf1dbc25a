import type {Launch} from 'bootcut/plugin';
import {cpusShape, type GuestFlags, memoryShape, parseCpus, parseMemory} from './flags.js';

/** What is asked of the VM, after flags, environment and settings have been weighed. */
export interface Wishes {
  /** MiB. */
  readonly memory: number;
  readonly cpus: number;
  readonly net: 'none' | 'user';
  /** May the VM be emulated where KVM does not work? */
  readonly emulation: boolean;
  readonly attach: boolean;
  /** Settings and variables that say nothing usable, a line each; the default stands in for each. */
  readonly complaints: readonly string[];
}

/**
 * MiB. What a guest does not touch costs the host nothing, and up to here more does not lengthen an emulated boot
 * (1.09 s with 1,024, 1.13 s with 512, 1.32 s with 2,048).
 */
const defaultMemory = 1024;

/** One: an emulated guest with two still hangs at boot now and then (1 of 25). */
const defaultCpus = 1;

/** The variable that allows (`1`) or forbids (`0`) emulation in place of the setting `emulation`. */
export const emulateVariable = 'BOOTCUT_QEMU_EMULATE';

/**
 * Settings (`plugins.qemu`): `emulation` (`allow` or `never`, the default), `memory`, `cpus`, `net`, `attach`, and `path`,
 * the QEMU program.
 */
export const weighWishes = (launch: Pick<Launch, 'env' | 'settings'>, flags: GuestFlags): Wishes => {
  const complaints: string[] = [];
  const setting = <T>(name: string, shape: string, read: (text: string) => T | undefined): T | undefined => {
    const written = launch.settings[name];
    if (written === undefined || written === null || written === '') return undefined;
    const value = typeof written === 'object' ? undefined : read(String(written));
    if (value === undefined) complaints.push(`the setting plugins.qemu.${name} must be ${shape}; the default applies`);
    return value;
  };
  const word = <T extends string>(...words: readonly T[]) => {
    return (text: string): T | undefined => words.find((known) => known === text);
  };
  const emulation = setting('emulation', 'allow or never', word('allow', 'never'));
  const memory = setting('memory', memoryShape, parseMemory);
  const cpus = setting('cpus', cpusShape(), parseCpus);
  const net = setting('net', 'none or user', word('none', 'user'));
  const attach = setting('attach', 'true or false', word('true', 'false'));
  const variable = launch.env[emulateVariable];
  if (variable !== undefined && !['', '0', '1'].includes(variable))
    complaints.push(`${emulateVariable} must be 0 or 1; the setting applies`);
  const byVariable = variable === '1' ? true : variable === '0' ? false : undefined;
  return {
    memory: flags.memory ?? memory ?? defaultMemory,
    cpus: flags.cpus ?? cpus ?? defaultCpus,
    net: flags.net ?? net ?? 'none',
    emulation: flags.emulate || (byVariable ?? emulation === 'allow'),
    attach: flags.attach || attach === 'true',
    complaints,
  };
};
