import {kernelCommandLine} from '../machine.js';
import {runProgram} from './programs.js';

/** An emulated boot takes a second or two; on a machine with much else to do ten times that. Milliseconds. */
const limit = 30_000;

/**
 * Boots a kernel, emulated, with nothing to run: it must come to where it would start the first program. Returns what it
 * said last when it does not.
 */
export const tryBoot = async (
  qemu: string,
  kernel: string,
  tscKhz: number | undefined,
): Promise<string | undefined> => {
  const machine = ['-M', 'microvm,rtc=on', '-accel', 'tcg', '-cpu', 'Nehalem-v1', '-m', '256'];
  const guest = ['-kernel', kernel, '-append', kernelCommandLine({accelerator: 'tcg', tscKhz})];
  const rest = ['-no-reboot', '-nodefaults', '-no-user-config', '-display', 'none', '-serial', 'stdio'];
  const {stdout, stderr} = await runProgram([qemu, ...machine, ...guest, ...rest], {limit});
  const said = stdout.toString('latin1');
  if (/Unable to mount root fs|No working init found/.test(said)) return undefined;
  return `${said}${stderr}`.trim().split('\n').slice(-5).join('\n');
};
